import { expect, it } from 'vitest';

import { redactorFor } from '../../nodes/LicensingData/service/connection.ts';
import { asHtml, asLine } from '../../nodes/LicensingData/service/nodeError.ts';
const as = (text: string) => text;

it('A hint or a description is no markup, has no entity, and has at most 1,000 characters', () => {
	expect(asHtml('<a href="x">&#108;s</a>', as)).toBe('&lt;a href="x"&gt;&amp;#108;s&lt;/a&gt;');
	for (const text of ['xx '.repeat(300_000), '< '.repeat(400), '&<& '.repeat(5000)]) {
		const shown = asHtml(text, as);
		expect(shown).toMatch(/^((x|&lt;|&amp;)+ )+(x|&lt;|&amp;)+…$/);
		expect(shown.length).toBeGreaterThan(980);
		expect(shown.length).toBeLessThanOrEqual(1000);
	}
	expect(asHtml('x'.repeat(1000), as)).toHaveLength(1000);
});

it('A message holds no markup and no entity, and has at most 1,000 characters', () => {
	expect(asLine('<b>Bar & Grill</b> &lt;', as)).toBe(' b Bar & Grill /b  & lt;');
	expect(asLine('xx '.repeat(300_000), as)).toHaveLength(999);
});

it('Half a key is never shown, wherever the text is cut', () => {
	const { redact } = redactorFor('ls_live_0123456789abcdef');
	for (let before = 900; before < 1000; before++)
		for (const show of [asHtml, asLine]) {
			const shown = show(`${'x'.repeat(before)} ls_live_0123456789abcdef and more`, redact);
			expect(shown).not.toMatch(/0123|ls_live/);
		}
});
