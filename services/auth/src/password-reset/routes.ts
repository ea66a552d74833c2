import type { Handlers } from '@waymark/kernel/http/api';
import { noContent } from '@waymark/kernel/http/reply';
import type { PasswordContext } from '../sessions/change-password.js';
import { resetPassword } from './reset-password.js';

export function passwordResetHandlers(ctx: PasswordContext): Pick<Handlers<'auth'>, 'user.resetPassword'> {
  return {
    'user.resetPassword': async ({ body, eventContext }) => {
      await resetPassword(ctx, eventContext, body);
      return noContent();
    },
  };
}
