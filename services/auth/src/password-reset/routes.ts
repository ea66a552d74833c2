import type { Handlers } from '@waymark/kernel/http/api';
import { noContent } from '@waymark/kernel/http/reply';
import type { PasswordContext } from '../sessions/change-password.js';
import { requestReset, type ResetRequestContext } from './request-reset.js';
import { resetPassword } from './reset-password.js';

type Names = 'user.resetPassword' | 'user.requestPasswordReset';

export function passwordResetHandlers(ctx: PasswordContext & ResetRequestContext): Pick<Handlers<'auth'>, Names> {
  return {
    'user.resetPassword': async ({ body, eventContext }) => {
      await resetPassword(ctx, eventContext, body);
      return noContent();
    },
    'user.requestPasswordReset': async ({ body, eventContext }) => {
      await requestReset(ctx, eventContext, body.email);
      return noContent();
    },
  };
}
