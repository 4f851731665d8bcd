import { generate } from 'selfsigned';

/** A certificate that nobody has reason to trust. */
export function selfSigned(): { key: string; cert: string } {
	const { private: key, cert } = generate([{ name: 'commonName', value: '127.0.0.1' }], {
		keySize: 2048,
		algorithm: 'sha256',
	});
	return { key, cert };
}
