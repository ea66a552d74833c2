import type { Handlers } from '@waymark/kernel/http/api';
import { verdictReply, type VerdictContext } from './verdict-reply.js';

export const verifyingHandlers = (ctx: VerdictContext): Pick<Handlers<'audit'>, 'audit_logs.verify'> => ({
  'audit_logs.verify': ({ workspace }) => Promise.resolve(verdictReply(ctx, workspace.slug)),
});
