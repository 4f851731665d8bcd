import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { installFromDebian } from '../../test/support/debian.mts';

// cspell:ignore mjpeg libx wallclock vsync
const FFMPEG = '/usr/bin/ffmpeg';

/** What a page shows from now on, as one MP4. Between two pictures that Chromium sends, the last one stays. */
export async function record(page: Page, file: string) {
	if (!existsSync(FFMPEG))
		await installFromDebian(['ffmpeg'], 'The video needs ffmpeg; install it and run this again.');
	// By the clock, so that the video takes as long as what it shows.
	const input = '-use_wallclock_as_timestamps 1 -f image2pipe -c:v mjpeg -i -';
	const output = '-vsync cfr -r 10 -c:v libx264 -preset veryfast -crf 26 -pix_fmt yuv420p';
	const all = `-loglevel error -y ${input} ${output}`.split(' ');
	const encoder = spawn(FFMPEG, [...all, file], { stdio: ['pipe', 'inherit', 'inherit'] });
	const ended = once(encoder, 'exit');
	const session = await page.context().newCDPSession(page);
	let began = 0;
	session.on('Page.screencastFrame', ({ data, sessionId }) => {
		began ||= Date.now();
		encoder.stdin.write(Buffer.from(data, 'base64'));
		void session.send('Page.screencastFrameAck', { sessionId }).catch(() => {});
	});
	await session.send('Page.startScreencast', { format: 'jpeg', quality: 80 });
	return {
		seconds: () => (began === 0 ? 0 : (Date.now() - began) / 1000),
		async stop() {
			await session.detach().catch(() => {});
			encoder.stdin.end();
			await ended;
		},
	};
}
