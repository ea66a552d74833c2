import type { Handlers } from '@waymark/kernel/http/api';
import type { VerifyContext } from './find-orphan.js';
import { verdictReply } from './verdict-reply.js';

export const verifyingHandlers = (ctx: VerifyContext): Pick<Handlers<'audit'>, 'audit_logs.verify'> => ({
  'audit_logs.verify': ({ workspace }) => Promise.resolve(verdictReply(ctx, workspace.slug)),
});
