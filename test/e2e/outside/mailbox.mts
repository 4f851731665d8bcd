import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime from 'postal-mime';
import { SMTPServer } from 'smtp-server';

export interface Mail {
	recipients: string[];
	subject: string;
	body: string;
	isHtml: boolean;
	/** The names of all headers, in lower case. */
	headers: string[];
	attachments: Array<{ name: string | null; text: string }>;
}

/** A mail server that keeps everything it is sent. */
export class Mailbox {
	readonly mails: Mail[] = [];
	/** Addresses that it takes no mail for. */
	readonly refused = new Set<string>();

	private readonly smtp = new SMTPServer({
		disabledCommands: ['AUTH', 'STARTTLS'],
		onRcptTo: ({ address }, _, done) =>
			done(this.refused.has(address) ? new Error('No such mailbox') : null),
		onData: (content, { envelope }, done) => {
			buffer(content)
				.then(async (raw) => await PostalMime.parse(raw))
				.then(({ subject = '', html, text = '', headers, attachments }) => {
					const recipients = envelope.rcptTo.map(({ address }) => address);
					this.mails.push({
						recipients,
						subject,
						body: html ?? text,
						isHtml: html !== undefined,
						headers: headers.map(({ key }) => key),
						attachments: attachments.map(({ filename, content }) => ({
							name: filename,
							text: Buffer.from(content as ArrayBuffer).toString('utf8'),
						})),
					});
					done();
				})
				.catch(done);
		},
	});

	static async open(): Promise<Mailbox> {
		const mailbox = new Mailbox();
		await once(mailbox.smtp.listen(0, '127.0.0.1'), 'listening');
		return mailbox;
	}

	/** What a user enters in n8n. */
	get credentials() {
		const { port } = this.smtp.server.address() as AddressInfo;
		return { host: '127.0.0.1', port, secure: false, disableStartTls: true };
	}

	close(): void {
		this.smtp.close();
	}
}
