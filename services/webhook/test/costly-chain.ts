import { generateKeyPairSync, sign } from 'node:crypto';

const SEQUENCE = 0x30;
const COMMON_NAME = Buffer.from('0603550403', 'hex');
const ECDSA_WITH_SHA256 = Buffer.from('300a06082a8648ce3d040302', 'hex');
const VALIDITY = der(SEQUENCE, der(0x17, Buffer.from('200101000000Z')), der(0x17, Buffer.from('400101000000Z')));

/** The value of one type in DER, of at most 64 KiB. */
function der(tag: number, ...parts: Buffer[]): Buffer {
  const value = Buffer.concat(parts);
  const { length } = value;
  const size = length < 128 ? [length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), value]);
}

const nameOf = (index: number): Buffer =>
  der(SEQUENCE, der(0x31, der(SEQUENCE, COMMON_NAME, der(0x0c, Buffer.from(`${index}`)))));

/**
 * Makes a certificate that others issued in turn, with keys and signatures that take long to verify. None of the signatures
 * is valid.
 */
export function costlyChain(count: number): { key: string; cert: string } {
  const leaf = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const issuer = generateKeyPairSync('ec', { namedCurve: 'sect571r1' });
  const key = leaf.privateKey.export({ type: 'pkcs8', format: 'pem' });
  const certificate = (index: number) => {
    const { publicKey } = index === 0 ? leaf : issuer;
    const [subject, issuerName] = [nameOf(index), nameOf(index + 1)];
    const spki = publicKey.export({ type: 'spki', format: 'der' });
    const signed = der(SEQUENCE, der(2, Buffer.from([1])), ECDSA_WITH_SHA256, issuerName, VALIDITY, subject, spki);
    const signature = sign('sha256', Buffer.from('other data'), issuer.privateKey);
    return der(SEQUENCE, signed, ECDSA_WITH_SHA256, der(3, Buffer.from([0]), signature));
  };
  const pem = (bytes: Buffer) =>
    `-----BEGIN CERTIFICATE-----\n${bytes.toString('base64')}\n-----END CERTIFICATE-----\n`;
  const cert = Array.from({ length: count }, (_, index) => pem(certificate(index))).join('');
  return { key: String(key), cert };
}
