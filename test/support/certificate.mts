import { generateKeyPairSync, sign } from 'node:crypto';

const item = (tag: number, ...contents: Buffer[]): Buffer => {
	const body = Buffer.concat(contents);
	const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
	return Buffer.concat([Buffer.from([tag, ...length]), body]);
};
const sequence = (...contents: Buffer[]) => item(0x30, ...contents);
const time = (text: string) => item(0x17, Buffer.from(text));
const bits = (content: Buffer) => item(0x03, Buffer.from([0]), content);

/** A certificate that nobody has reason to trust, made in memory. */
export function selfSigned(): { key: string; cert: string } {
	const { publicKey, privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
	const ecdsaWithSha256 = sequence(item(0x06, Buffer.from('2a8648ce3d040302', 'hex')));
	const nobody = sequence();
	const content = sequence(
		item(0x02, Buffer.from([1])),
		ecdsaWithSha256,
		nobody,
		sequence(time('250101000000Z'), time('490101000000Z')),
		nobody,
		publicKey.export({ type: 'spki', format: 'der' }),
	);
	const certificate = sequence(
		content,
		ecdsaWithSha256,
		bits(sign('sha256', content, privateKey)),
	).toString('base64');
	return {
		key: privateKey.export({ type: 'pkcs8', format: 'pem' }) as string,
		cert: `-----BEGIN CERTIFICATE-----\n${certificate.replace(/.{64}/g, '$&\n')}\n-----END CERTIFICATE-----\n`,
	};
}
