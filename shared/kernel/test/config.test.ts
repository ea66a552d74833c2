import type { KeyObject } from 'node:crypto';
import { z } from 'zod';
import { ConfigError, apiConfig, loadConfig, setting } from '@waymark/kernel/process/config';
import { auditKeys, secretKey } from '@waymark/testing/keys';

const [old, next] = [auditKeys(), auditKeys()];
const publicKeysOf = (value: string) => loadConfig(z.object({ KEYS: setting.publicKeys }), { KEYS: value }).KEYS;
const pemOf = (key: ReturnType<typeof publicKeysOf>[number]) => key.export({ type: 'spki', format: 'pem' });

test('a setting for public keys accepts one key or several, with line breaks or in one line', () => {
  expect(publicKeysOf(old.publicKey).map(pemOf)).toEqual([old.publicKey]);
  expect(publicKeysOf(old.publicKey + next.publicKey).map(pemOf)).toEqual([old.publicKey, next.publicKey]);
  expect(publicKeysOf(`${old.publicKey}${next.publicKey}`.replaceAll('\n', '\\n')).map(pemOf)).toEqual([
    old.publicKey,
    next.publicKey,
  ]);
});

test.each(['rubbish', '-----BEGIN PUBLIC KEY-----\nAAAA\n-----END PUBLIC KEY-----', old.publicKey.slice(0, -30)])(
  'what is no public key stops the start with a line that names it: %j',
  (value) => {
    expect(() => publicKeysOf(value)).toThrow(ConfigError);
    expect(() => publicKeysOf(value)).toThrow(/^[^\n]*KEYS[^\n]*public keys \(PEM\)[^\n]*$/);
  },
);

const textOf = (key: KeyObject) => key.export().toString('base64');
const identityKeysOf = (value: string | undefined) =>
  loadConfig(apiConfig, { IDENTITY_KEY: value, API_BASE_URL: 'https://api.test' }).IDENTITY_KEY.map(textOf);
const identitySecretOf = (value: string | undefined) =>
  textOf(loadConfig(z.object({ IDENTITY_SECRET: setting.secretKey }), { IDENTITY_SECRET: value }).IDENTITY_SECRET);

test('a service accepts one key for identities or several, the gateway one secret', () => {
  const [first, second] = [secretKey(), secretKey()];
  expect(identityKeysOf(first)).toEqual([first]);
  expect(identityKeysOf(`${first}, ${second}`)).toEqual([first, second]);
  expect(identitySecretOf(first)).toBe(first);
  expect(() => identitySecretOf(`${first},${second}`)).toThrow(ConfigError);
});

test.each([
  undefined,
  'rubbish',
  secretKey().slice(4),
  `${secretKey()}AAAA`,
  `${secretKey().slice(0, -1)}!`,
  old.publicKey,
])('what is no key for identities stops the start with a line that names the variable: %j', (value) => {
  const problem = value === undefined ? 'is not set' : 'must be base64 of 32 bytes';
  expect(() => identityKeysOf(value)).toThrow(new RegExp(`^IDENTITY_KEY:? ${problem}[^\n]*$`));
  expect(() => identitySecretOf(value)).toThrow(new RegExp(`^IDENTITY_SECRET:? ${problem}[^\n]*$`));
});

test('an empty variable counts as absent', () => {
  const config = z.object({ NAME: z.string().default('none') });
  expect(loadConfig(config, { NAME: '' })).toEqual({ NAME: 'none' });
});

test('an invalid name server stops the start with a line that names the variable', () => {
  const config = z.object({ SERVERS: setting.nameServers });
  expect(loadConfig(config, { SERVERS: '1.1.1.1, [2606:4700::1111]:53' }).SERVERS).toHaveLength(2);
  for (const value of ['dns.example.com', '1.1.1.1:port', '1.1.1.1,999.1.1.1']) {
    expect(() => loadConfig(config, { SERVERS: value })).toThrow(/^[^\n]*SERVERS[^\n]*address\[:port\][^\n]*$/);
  }
});
