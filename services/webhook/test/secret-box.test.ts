import { randomBytes } from 'node:crypto';
import { SigningSecretBox } from '@waymark/webhook/endpoints/secret-box';

const owner = { _id: 'whk_1', workspace: 'acme' };
const [oldKey, newKey] = [randomBytes(32), randomBytes(32)];
const box = new SigningSecretBox([oldKey]);

test('equal secrets have different ciphertexts', () => {
  expect(box.sealSecret('whsec_a', owner).sealed).not.toBe(box.sealSecret('whsec_a', owner).sealed);
});

test.each([
  ['endpoint', { _id: 'whk_2', workspace: 'acme' }],
  ['workspace', { _id: 'whk_1', workspace: 'other' }],
])('a secret moved to another %s cannot be opened', (_what, other) => {
  const sealed = box.sealSecret('whsec_a', owner);
  expect(box.openSecret(sealed, owner)).toBe('whsec_a');
  expect(() => box.openSecret(sealed, other)).toThrow();
});

test('a changed ciphertext or tag cannot be opened', () => {
  const secret = box.sealSecret('whsec_a', owner);
  for (const index of [0, 13, 30]) {
    const bytes = Buffer.from(secret.sealed, 'base64');
    bytes[index]! ^= 1;
    expect(() => box.openSecret({ ...secret, sealed: bytes.toString('base64') }, owner)).toThrow();
  }
});

test('with a new key in front old secrets open and new ones need the new key', () => {
  const both = new SigningSecretBox([newKey, oldKey]);
  expect(both.openSecret(box.sealSecret('whsec_a', owner), owner)).toBe('whsec_a');
  expect(() => box.openSecret(both.sealSecret('whsec_b', owner), owner)).toThrow(/lacks the key/);
});

test('an expired secret is not among the valid ones', () => {
  const now = new Date();
  const current = box.sealSecret('whsec_b', owner);
  const old = { ...box.sealSecret('whsec_a', owner), expiresAt: new Date(now.getTime() + 1) };
  expect(box.openValidSecrets([current, old], owner, now)).toEqual(['whsec_b', 'whsec_a']);
  expect(box.openValidSecrets([current, { ...old, expiresAt: now }], owner, now)).toEqual(['whsec_b']);
});
