import { quotaReached } from '@waymark/kernel/mongo/quota';

/**
 * Call it in the transaction that adds an item, after a lock that serializes such transactions.
 * @throws AppError `validation_failed` when the limit is reached
 */
export function checkCap(resource: string, holder: 'workspace' | 'user', limit: number, current: number): void {
  if (current >= limit) throw quotaReached(resource, limit, current, holder);
}
