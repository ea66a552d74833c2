import { SharedBudget } from './shared-budget.js';

const MB = 1024 * 1024;

/** Resources that the callers of one process share; large bodies and exports have budgets of their own. */
export const newLimits = () => ({
  /** Bytes of the bodies that are read or handled at the same time. */
  smallBodies: new SharedBudget('requests', 32 * MB),
  largeBodies: new SharedBudget('large requests', 40 * MB, 20 * MB),
  /** Exports that are being read: each holds one piece. */
  exports: new SharedBudget('exports', 64, 8),
  /** Verifications of audit logs in progress, which must wait for no export: each holds one slice of entries. */
  verifications: new SharedBudget('verifications', 16, 4),
  /** Answers whose memory is being estimated, which waits for no client: slow readers keep none of these places. */
  answerEstimates: new SharedBudget('long answers', 64, 24),
  /** Bytes of answers that are in memory until the client has read them. */
  longAnswers: new SharedBudget('long answers', 64 * MB, 24 * MB),
});
export type Limits = ReturnType<typeof newLimits>;
