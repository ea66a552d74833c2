import { SharedBudget } from './shared-budget.js';

const MB = 1024 * 1024;

/** What the callers of one process share. Small bodies are not refused because of large ones, nor lists because of exports. */
export const newLimits = () => ({
  /** Bytes of the bodies that are read or handled at the same time. */
  smallBodies: new SharedBudget('requests', 32 * MB),
  largeBodies: new SharedBudget('large requests', 40 * MB, 20 * MB),
  /** Answers that are being read. */
  exports: new SharedBudget('exports', 64, 8),
  longLists: new SharedBudget('long lists', 64, 8),
});
export type Limits = ReturnType<typeof newLimits>;
