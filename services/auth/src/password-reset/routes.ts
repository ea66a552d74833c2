import type { Handlers } from '@waymark/kernel/http/api';
import { item, noContent } from '@waymark/kernel/http/reply';
import { requestReset, type ResetRequestContext } from './request-reset.js';
import { resetPassword, type PasswordResetContext } from './reset-password.js';

type Names = 'user.resetPassword' | 'user.requestPasswordReset';

export function passwordResetHandlers(ctx: PasswordResetContext & ResetRequestContext): Pick<Handlers<'auth'>, Names> {
  return {
    'user.resetPassword': async ({ body, eventContext }) => {
      const outcome = await resetPassword(ctx, eventContext, body);
      const data = {
        ended_sessions: outcome.endedSessions,
        revoked_tokens: outcome.revokedTokens,
        totp_disabled: outcome.isTotpDisabled,
        email_confirmed: outcome.isEmailConfirmed,
      };
      return item(data, { live_tokens: outcome.liveTokens });
    },
    'user.requestPasswordReset': async ({ body, eventContext }) => {
      await requestReset(ctx, eventContext, body.email);
      return noContent();
    },
  };
}
