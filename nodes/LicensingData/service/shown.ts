import { shortened } from '../licenses/readableText';

/** Anything longer is not read. */
const LONGEST_SHOWN = 1_000;

type Redact = (text: string) => string;

const withoutKey = (text: string, redact: Redact): string =>
	shortened(redact(shortened(text, LONGEST_SHOWN)), LONGEST_SHOWN);

/** For a hint or a description, which the editor shows as HTML: services and users may have put anything in it. */
export const asHtml = (text: string, redact: Redact): string =>
	shortened(
		withoutKey(text, redact)
			.replaceAll('&', '&amp;')
			.replaceAll('<', '&lt;')
			.replaceAll('>', '&gt;'),
		LONGEST_SHOWN,
	);

/** For a message or a line in the log: it is a text in some places and HTML in others, so it holds no markup. */
export const asLine = (text: string, redact: Redact): string =>
	withoutKey(text, redact)
		.replace(/[<>]/g, ' ')
		.replace(/&(?=#?\w+;)/g, '& ');
