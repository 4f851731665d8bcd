/** Anything longer is not read. */
const LONGEST_SHOWN = 1_000;

type Redact = (text: string) => string;

const shortened = (text: string): string =>
	text.length > LONGEST_SHOWN ? `${text.slice(0, LONGEST_SHOWN - 1)}…` : text;

/** For a hint or a description, which the editor shows as HTML: services and users may have put anything in it. */
export const asHtml = (text: string, redact: Redact): string =>
	shortened(
		shortened(redact(text))
			.replaceAll('&', '&amp;')
			.replaceAll('<', '&lt;')
			.replaceAll('>', '&gt;'),
	).replace(/&[a-z]{0,3}…$/, '…');

/** For a message or a line in the log: it is a text in some places and HTML in others, so it holds no markup. */
export const asLine = (text: string, redact: Redact): string =>
	shortened(redact(text))
		.replace(/[<>]/g, ' ')
		.replace(/&(?=#?\w+;)/g, '& ');
