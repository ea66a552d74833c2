import type { MessageProperties } from 'amqplib';
import { producerOf } from '@waymark/contract/queues';

/** Names the user that published a message first, where a consumer or the operator published it again. */
export const PRODUCER_HEADER = 'x-producer';
const OPERATOR = 'operator';
const UNKNOWN = 'unknown';

interface Identity {
  service: string;
  user: string | undefined;
}

type Published = { properties: Pick<MessageProperties, 'userId' | 'headers'> };

/**
 * Returns the common beginning of an installation's user names, which end with the service's name
 * (`waymark-links-audit`) if each service has its own user. If all services share one user, the broker cannot
 * distinguish them.
 */
export function userPrefix({ service, user }: Identity): string | undefined {
  return user?.endsWith(`-${service}`) ? user.slice(0, -service.length) : undefined;
}

/** Returns the first publisher: the broker validates `userId`; the header counts from our own user and the operator. */
export function producerUser(identity: Identity, { properties }: Published): string {
  const userId = (properties.userId as string | undefined) ?? UNKNOWN;
  const prefix = userPrefix(identity);
  const mayRepublish = userId === identity.user || (prefix !== undefined && userId === prefix + OPERATOR);
  const original: unknown = properties.headers?.[PRODUCER_HEADER];
  return mayRepublish && typeof original === 'string' ? original : userId;
}

/** @returns why the message is not genuine; checked only if each service has its own user */
export function producerProblem(identity: Identity, message: Published, type: string): string | undefined {
  const prefix = userPrefix(identity);
  if (prefix === undefined) return undefined;
  const producer = producerUser(identity, message);
  const owner = prefix + producerOf(type);
  // An operator who replays a message by its id has inspected it.
  if (producer === owner || producer === prefix + OPERATOR) return undefined;
  return `${type} was published by the user ${producer}, not by ${owner}`;
}
