import { quotaReached } from '@waymark/kernel/mongo/quota';

interface Cap {
  /** The resource's name in the API. */
  resource: string;
  owner: 'workspace' | 'user';
  limit: number;
  current: number;
}

/**
 * Call it in the transaction that adds an item, after a lock that serializes such transactions.
 * @throws AppError `validation_failed` when the limit is reached
 */
export function checkCap({ resource, owner, limit, current }: Cap): void {
  if (current >= limit) throw quotaReached({ resource, limit, current, holder: owner });
}
