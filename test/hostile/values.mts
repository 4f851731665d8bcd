/** Texts that mean something else to a path, a header, a parser or a prototype than to a person. */
export const TEXTS: string[] = [
	...['..', '.', '../webhooks', '..\\webhooks', '%2e%2e', '%2E%2E%2Fwebhooks', '..;/', './', '/'],
	...['search', 'SEARCH', ' search ', 'search/', 'search%20', 'ｓｅａｒｃｈ', 'lic_1/../search'],
	...['lic_1?limit=1', 'lic_1#top', 'lic_1&limit=1', 'lic_1;x'],
	...['lic_1%00', 'lic_1%', 'a b', '//evil.example.com'],
	...['http://evil.example.com', '@evil.example.com', ':80', '*', '+', '%', '%zz'],
	...['lic\r\nX-Evil: 1', 'lic\nX', 'lic\tX', 'lic\u0000'],
	...['\u0000', '\u007f', '\u0085', '\u001b[31m'],
	...['\ud800', '\udc00', 'lic\ud83d', '\udf7alic', 'x\ud800y\udc00z'],
	...['\u2028', '\u2029', '\u200b', '\u202elic', '\ufeff', '\ufefflic', '\u00a0', '\u3000'],
	...['__proto__', 'constructor', 'prototype', 'toString'],
	...['hasOwnProperty', 'valueOf', '__defineGetter__'],
	...['null', 'undefined', 'NaN', 'Infinity', '-Infinity', 'true', '[object Object]', '[]', '{}'],
	...['0', '-0', '-1', '1.5', '1e309', '0x10', '0b1', '1_000', '９', '٣', '9007199254740993'],
	...['', ' ', '\t', '🍺', 'é', 'e\u0301', 'İ', 'ß', 'K', 'ﬁ', '😀'.repeat(40)],
	...["' OR 1=1 --", '"; DROP TABLE licenses'],
	...['<script>alert(1)</script>', '${7*7}', '{{ 7*7 }}', '`id`'],
	...['x'.repeat(201), 'x'.repeat(100_000), '/'.repeat(20_000)],
	...[' '.repeat(100_000), '2026-'.repeat(10_000)],
	...['2026-02-30', '2026-13-01', '0000-00-00', '+275760-09-14'],
	...['2026-07-01T99:99', '9999-12-31', '-000001-01-01'],
	...['Miami-Dade', 'COP', 'new_filing', 'simplified', 'active', '2026-07-01', '7'],
];

/** What an expression may give where a text or a number was expected. */
export const JSON_VALUES: unknown[] = [
	...[null, true, false, 0, -0, -1, 0.5, 1, 7, 51, 1e21, -1e21, 1e308, Number.MIN_VALUE],
	...[Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER + 1],
	...[[], [[]], [null], ['COP'], ['a', 'b'], [1], [{}], nested(200)],
	...[{}, { value: 'search' }, { value: '../x' }],
	...[{ value: { value: 'x' } }, { mode: 'id', value: null }],
	...[{ length: 1 }, { toString: 1 }],
	...[{ toString: null, valueOf: null }, { toJSON: 1 }, { then: 1 }],
	JSON.parse('{"__proto__":{"county":"Miami-Dade"}}'),
	JSON.parse('{"constructor":{"prototype":{"polluted":1}}}'),
];

function nested(depth: number): unknown {
	let value: unknown = 'x';
	for (let level = 0; level < depth; level++) value = [value];
	return value;
}
