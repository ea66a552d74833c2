import { newId } from '@waymark/contract/ids';
import { emailTaken } from '@waymark/contract/problems';
import { invalid } from '@waymark/kernel/errors';
import type { Database } from '@waymark/kernel/mongo/database';
import { hashPassword } from '../secrets/password.js';
import { emailKey, type User, type UserStore } from './user-store.js';

export async function createUser(
  ctx: { db: Database; users: UserStore },
  input: { email: string; name: string; password: string },
): Promise<User> {
  const { email, name } = input;
  const user = {
    _id: newId('usr'),
    email,
    name,
    passwordHash: await hashPassword(input.password),
    createdAt: new Date(),
  };
  await ctx.db.transaction(async (tx) => {
    const outcome = await ctx.users.insertUser(user, tx.session);
    if (outcome === 'email_taken') throw invalid({ email: [emailTaken()] });
  });
  return { ...user, emailKey: emailKey(email) };
}
