import { quotaReached } from '@waymark/shared/kernel/quota';

/**
 * To be called in the transaction that adds one, after what makes others wait for it.
 * @throws AppError `validation_failed` when there are as many as there may be
 */
export function checkCap(resource: string, holder: 'workspace' | 'user', limit: number, current: number): void {
  if (current >= limit) throw quotaReached(resource, limit, current, holder);
}
