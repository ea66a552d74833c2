import { derivedId, newId } from '@waymark/shared/contract/ids';
import type { DeliveryAttemptBody, DeliveryErrorType } from '@waymark/shared/contract/webhooks';
import type { PublicEvent } from '../events/public-event.js';

/** One event for one endpoint; never changes. */
export interface Delivery {
  _id: string;
  workspace: string;
  endpointId: string;
  eventId: string;
  eventType: string;
  /** The exact text that every attempt sends. */
  body: string;
  createdAt: Date;
}

/** One attempt of a delivery, from the moment it is scheduled. */
export interface Attempt {
  _id: string;
  deliveryId: string;
  endpointId: string;
  workspace: string;
  eventId: string;
  eventType: string;
  number: number;
  status: 'pending' | 'succeeded' | 'failed';
  dueAt: Date;
  statusCode: number | null;
  error: { type: DeliveryErrorType; message: string } | null;
  durationMs: number | null;
  attemptedAt: Date | null;
  nextRetryAt: Date | null;
  createdAt: Date;
}

/** The same event and endpoint always give the same delivery, however often the event arrives. */
export function deliveryOf(event: PublicEvent, endpointId: string): Delivery {
  return {
    _id: derivedId('dlv', event.id, endpointId),
    workspace: event.workspace,
    endpointId,
    eventId: event.id,
    eventType: event.type,
    body: JSON.stringify(event),
    createdAt: new Date(),
  };
}

export function firstAttempt({ _id, endpointId, workspace, eventId, eventType, createdAt }: Delivery): Attempt {
  const delivery = { deliveryId: _id, endpointId, workspace, eventId, eventType };
  return { _id: derivedId('att', _id), ...delivery, number: 1, ...NOT_MADE, dueAt: createdAt, createdAt };
}

export function attemptAfter(failed: Attempt, dueAt: Date): Attempt {
  return { ...failed, _id: newId('att'), number: failed.number + 1, ...NOT_MADE, dueAt, createdAt: new Date() };
}

const NOT_MADE = {
  status: 'pending',
  statusCode: null,
  error: null,
  durationMs: null,
  attemptedAt: null,
  nextRetryAt: null,
} as const;

export function presentAttempt(attempt: Attempt): DeliveryAttemptBody {
  const isScheduledRetry = attempt.status === 'pending' && attempt.number > 1;
  return {
    id: attempt._id,
    delivery_id: attempt.deliveryId,
    event_id: attempt.eventId,
    event_type: attempt.eventType,
    attempt_number: attempt.number,
    status: attempt.status,
    status_code: attempt.statusCode,
    error: attempt.error,
    duration_ms: attempt.durationMs,
    attempted_at: attempt.attemptedAt?.toISOString() ?? null,
    next_retry_at: (isScheduledRetry ? attempt.dueAt : attempt.nextRetryAt)?.toISOString() ?? null,
  };
}
