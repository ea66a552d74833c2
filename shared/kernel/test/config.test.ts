import { z } from 'zod';
import { ConfigError, apiConfig, loadConfig, setting } from '@waymark/kernel/process/config';
import { identityKeys } from '@waymark/testing/keys';

const [old, next] = [identityKeys(), identityKeys()];
const publicKeysOf = (value: string) =>
  loadConfig(apiConfig, { IDENTITY_PUBLIC_KEY: value, API_BASE_URL: 'https://api.test' }).IDENTITY_PUBLIC_KEY;
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
    expect(() => publicKeysOf(value)).toThrow(/^[^\n]*IDENTITY_PUBLIC_KEY[^\n]*public keys \(PEM\)[^\n]*$/);
  },
);

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
