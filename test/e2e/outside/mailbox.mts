import { once } from 'node:events';
import { createServer, type AddressInfo, type Socket } from 'node:net';
import { createInterface } from 'node:readline';

export interface Mail {
	recipients: string[];
	subject: string;
	body: string;
}

/** A mail server that keeps what it is sent. */
export class Mailbox {
	readonly mails: Mail[] = [];

	private readonly server = createServer((socket) => void this.converse(socket)).listen(
		0,
		'127.0.0.1',
	);

	static async open(): Promise<Mailbox> {
		const mailbox = new Mailbox();
		await once(mailbox.server, 'listening');
		return mailbox;
	}

	get port(): number {
		return (this.server.address() as AddressInfo).port;
	}

	close(): void {
		this.server.close();
	}

	private async converse(socket: Socket): Promise<void> {
		const say = (line: string) => socket.write(`${line}\r\n`);
		let recipients: string[] = [];
		let content: string[] | undefined;
		say('220 mailbox.example');
		for await (const line of createInterface({ input: socket })) {
			if (content && line !== '.') {
				content.push(line.replace(/^\.\./, '.'));
			} else if (content) {
				this.mails.push(read(recipients, content));
				recipients = [];
				content = undefined;
				say('250 kept');
			} else if (/^DATA/i.test(line)) {
				content = [];
				say('354 go on');
			} else if (/^QUIT/i.test(line)) {
				say('221 bye');
				socket.end();
			} else {
				const [, recipient] = /^RCPT TO:<(.*)>/i.exec(line) ?? [];
				if (recipient) recipients.push(recipient);
				say('250 fine');
			}
		}
	}
}

function read(recipients: string[], lines: string[]): Mail {
	const end = lines.indexOf('');
	const headers = lines.slice(0, end).join('\n').replace(/\n\s+/g, ' ');
	const content = lines.slice(end + 1).join('\n');
	const header = (name: string) => new RegExp(`^${name}: (.*)$`, 'im').exec(headers)?.[1] ?? '';
	return {
		recipients,
		subject: header('Subject'),
		body: decode(content, header('Content-Transfer-Encoding')),
	};
}

function decode(content: string, encoding: string): string {
	switch (encoding.toLowerCase()) {
		case 'base64':
			return Buffer.from(content, 'base64').toString();
		case 'quoted-printable': {
			const joined = content.replace(/=\n/g, '');
			const bytes = joined.replace(/=([0-9A-F]{2})/g, (_, hex: string) =>
				String.fromCharCode(Number.parseInt(hex, 16)),
			);
			return Buffer.from(bytes, 'latin1').toString();
		}
		default:
			return content;
	}
}
