import type { Handlers } from '@waymark/kernel/http/api';
import { checkRecentSignIn } from '../sessions/recent-sign-in.js';
import { item, noContent } from '@waymark/kernel/http/reply';
import type { TwoFactorContext } from './context.js';
import { disableOwnTotp } from './disable-totp.js';
import { confirmTotp, startTotp } from './enable-totp.js';

type Names = 'user.startTotp' | 'user.confirmTotp' | 'user.disableTotp';

export function twoFactorHandlers(ctx: TwoFactorContext): Pick<Handlers<'auth'>, Names> {
  return {
    'user.startTotp': async ({ identity, eventContext }) => {
      await checkRecentSignIn(ctx, identity.session_id);
      return item(await startTotp(ctx, eventContext));
    },
    'user.confirmTotp': async ({ body, identity, eventContext }) => {
      await checkRecentSignIn(ctx, identity.session_id);
      return item({ recovery_codes: await confirmTotp(ctx, eventContext, body.code) });
    },
    'user.disableTotp': async ({ body, eventContext }) => {
      await disableOwnTotp(ctx, eventContext, body.password);
      return noContent();
    },
  };
}
