import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';

interface CertificateOptions {
  /** The common name of the subject; it also names the files. */
  name: string;
  /** The subject alternative names, e.g. `DNS:localhost,IP:127.0.0.1`. */
  altNames: string;
  days?: string;
}

/** Makes a self-signed certificate, whose files stay in the folder. */
export function makeCertificate(folder: string, { name, altNames, days = '1' }: CertificateOptions) {
  const [key, cert] = [join(folder, `${name}.key`), join(folder, `${name}.crt`)];
  const made = ['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', days];
  const subject = ['-subj', `/CN=${name}`, '-addext', `subjectAltName=${altNames}`];
  execFileSync('openssl', [...made, '-keyout', key, '-out', cert, ...subject], { stdio: 'ignore' });
  return { key: readFileSync(key), cert: readFileSync(cert), path: cert };
}
