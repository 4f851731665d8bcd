import nock from 'nock';

// It takes HTTP over as soon as it is loaded, from files with a service of their own as well.
nock.restore();

export const API_KEY = 'ls_test_example';
export const BASE_URL = 'https://api.example.com/v1';
export const CREDENTIALS = { baseUrl: BASE_URL, apiKey: API_KEY };

type Reply = nock.ReplyBody | [status: number, body: nock.ReplyBody, headers?: nock.ReplyHeaders];

/** For a file whose requests nock answers: none reaches a network, and every expected one is made. */
export function useAnswers(): void {
	beforeAll(() => {
		if (!nock.isActive()) nock.activate();
		nock.disableNetConnect();
	});
	afterEach(() => {
		const unasked = nock.pendingMocks();
		nock.cleanAll();
		expect(unasked).toEqual([]);
	});
	afterAll(() => {
		nock.enableNetConnect();
		nock.restore();
	});
}

export const service = (): nock.Scope =>
	nock(BASE_URL, {
		reqheaders: { authorization: `Bearer ${API_KEY}`, accept: 'application/json' },
	});

/** Answers each GET below the path with the next reply, and records what was asked. */
export function answer(path: string | RegExp, ...replies: Reply[]) {
	const asked: Array<{ path: string; query: Record<string, string> }> = [];
	for (const reply of replies) {
		service()
			.get(path)
			.query(true)
			.reply((uri) => {
				const { pathname, searchParams } = new URL(uri, BASE_URL);
				asked.push({ path: pathname, query: Object.fromEntries(searchParams) });
				return Array.isArray(reply) && typeof reply[0] === 'number' ? reply : [200, reply];
			});
	}
	return asked;
}

/** Answers GET /licenses with one page after another. */
export const answerPages = (...pages: Reply[]) => answer('/licenses', ...pages);
