import { newId } from '@waymark/contract/ids';
import { invalid } from '@waymark/kernel/errors';
import type { AuthContext } from '../context.js';
import { hashPassword } from './password.js';
import type { User } from './store.js';

export async function createUser(
  ctx: Pick<AuthContext, 'db' | 'users'>,
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
    const outcome = await ctx.users.insert(user, tx.session);
    if (outcome === 'email_taken') throw invalid({ email: ['The email is already taken.'] });
  });
  return { ...user, emailKey: email };
}
