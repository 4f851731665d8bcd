import { once } from 'node:events';
import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import type { Page } from 'playwright-core';
import { installFromDebian } from '../support/debian.mts';

// cspell:ignore mjpeg libx
const FFMPEG = '/usr/bin/ffmpeg';
const FRAMES = 10;

/** What a page shows from now on, as one MP4. Between two pictures that Chromium sends, the last one stays. */
export async function record(page: Page, file: string) {
	if (!existsSync(FFMPEG))
		await installFromDebian(['ffmpeg'], 'The video needs ffmpeg; install it and run this again.');
	const input = ['-f', 'image2pipe', '-framerate', String(FRAMES), '-c:v', 'mjpeg', '-i', '-'];
	const output = ['-c:v', 'libx264', '-preset', 'veryfast', '-crf', '26', '-pix_fmt', 'yuv420p'];
	const all = ['-loglevel', 'error', '-y', ...input, ...output, file];
	const encoder = spawn(FFMPEG, all, { stdio: ['pipe', 'inherit', 'inherit'] });
	const ended = once(encoder, 'exit');
	const session = await page.context().newCDPSession(page);
	let last: Buffer | undefined;
	let shown: number | undefined;
	session.on('Page.screencastFrame', ({ data, sessionId }) => {
		last = Buffer.from(data, 'base64');
		shown = sessionId;
	});
	await session.send('Page.startScreencast', { format: 'jpeg', quality: 80 });
	// By the clock, so that the video takes as long as what it shows.
	let began = 0;
	let written = 0;
	const seconds = () => (began === 0 ? 0 : (Date.now() - began) / 1000);
	const timer = setInterval(() => {
		if (!last) return;
		began ||= Date.now();
		for (; written <= seconds() * FRAMES; written++) encoder.stdin.write(last);
		// Chromium sends the next picture only then: it draws no more of them than the video has.
		const acknowledged = shown;
		shown = undefined;
		if (acknowledged !== undefined)
			void session.send('Page.screencastFrameAck', { sessionId: acknowledged }).catch(() => {});
	}, 1000 / FRAMES);
	return {
		seconds,
		async stop() {
			clearInterval(timer);
			await session.detach().catch(() => {});
			encoder.stdin.end();
			await ended;
		},
	};
}
