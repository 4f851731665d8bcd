import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import PostalMime, { type Attachment, type Email } from 'postal-mime';
import { SMTPServer } from 'smtp-server';

export interface Mail extends Email {
	recipients: string[];
	subject: string;
	body: string;
	attachments: Array<Attachment & { text: string }>;
}

export type Mailbox = Awaited<ReturnType<typeof openMailbox>>;

/** A mail server that keeps everything it is sent. */
export async function openMailbox() {
	const mails: Mail[] = [];
	/** Addresses that it takes no mail for. */
	const refused = new Set<string>();
	const smtp = new SMTPServer({
		disabledCommands: ['AUTH', 'STARTTLS'],
		onRcptTo: ({ address }, _, done) =>
			done(refused.has(address) ? new Error('No such mailbox') : null),
		onData: (content, { envelope }, done) => {
			buffer(content)
				.then(async (raw) => await PostalMime.parse(raw, { attachmentEncoding: 'utf8' }))
				.then((mail) => {
					const { subject = '', html, text = '' } = mail;
					const recipients = envelope.rcptTo.map(({ address }) => address);
					const attachments = mail.attachments.map((one) => ({
						...one,
						text: String(one.content),
					}));
					mails.push({ ...mail, recipients, subject, body: html ?? text, attachments });
					done();
				})
				.catch(done);
		},
	});
	await once(smtp.listen(0, '127.0.0.1'), 'listening');
	const { port } = smtp.server.address() as AddressInfo;
	/** What a user enters in n8n. */
	const credentials = { host: '127.0.0.1', port, secure: false, disableStartTls: true };
	return { mails, refused, credentials, close: () => void smtp.close() };
}
