import { hash, verify } from '@node-rs/argon2';

/** argon2id, the library's default, as OWASP recommends: https://cheatsheetseries.owasp.org/cheatsheets/Password_Storage_Cheat_Sheet.html */
const OPTIONS = { memoryCost: 19_456, timeCost: 2, parallelism: 1 };

export const hashPassword = (password: string): Promise<string> => hash(password, OPTIONS);

let decoy: Promise<string> | undefined;

/** Takes as long for an unknown user (`hashed` undefined) as for a wrong password. */
export async function verifyPassword(hashed: string | undefined, password: string): Promise<boolean> {
  decoy ??= hashPassword('no password at all');
  const matches = await verify(hashed ?? (await decoy), password);
  return matches && hashed !== undefined;
}
