import { expect, it } from 'vitest';

import { asHtml, asLine } from '../../nodes/LicensingData/transport/shown.ts';
const as = (text: string) => text;

it('A hint or a description is no markup, has no entity, and has at most 1,000 characters', () => {
	expect(asHtml('<a href="x">&#108;s</a>', as)).toBe('&lt;a href="x"&gt;&amp;#108;s&lt;/a&gt;');
	for (const text of ['x'.repeat(1_000_000), '<'.repeat(5000), '&'.repeat(999)])
		expect(asHtml(text, as)).toMatch(/^(x|&lt;|&amp;)*…$/);
	expect(asHtml('<'.repeat(5000), as).length).toBeLessThanOrEqual(1000);
	expect(asHtml('x'.repeat(1000), as)).toHaveLength(1000);
});

it('A message holds no markup and no entity, and has at most 1,000 characters', () => {
	expect(asLine('<b>Bar & Grill</b> &lt;', as)).toBe(' b Bar & Grill /b  & lt;');
	expect(asLine('x'.repeat(1_000_000), as)).toHaveLength(1000);
});
