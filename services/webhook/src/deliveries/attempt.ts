import { derivedId } from '@waymark/shared/contract/ids';
import { WEBHOOK_TEST } from '@waymark/shared/contract/webhook-events';
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

/** What a person has asked for goes before what is due. */
export const PRIORITY = { asked: 0, scheduled: 1 } as const;

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
  priority: number;
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

export function firstAttempt(delivery: Delivery): Attempt {
  return { ...attemptOf(delivery, 1), dueAt: delivery.createdAt, createdAt: delivery.createdAt };
}

export function attemptAfter(failed: Attempt, dueAt: Date): Attempt {
  const number = failed.number + 1;
  return { ...failed, ...NOT_MADE, _id: attemptId(failed.deliveryId, number), number, dueAt, createdAt: new Date() };
}

/** An attempt that somebody asks for now. */
export function askedAttempt(delivery: Delivery, number: number): Attempt {
  const now = new Date();
  return { ...attemptOf(delivery, number), priority: PRIORITY.asked, dueAt: now, createdAt: now };
}

/** A failed test tells nothing about the deliveries of an endpoint. */
export const isTest = ({ eventType }: Pick<Attempt, 'eventType'>): boolean => eventType === WEBHOOK_TEST;

function attemptOf({ _id, endpointId, workspace, eventId, eventType }: Delivery, number: number) {
  const delivery = { deliveryId: _id, endpointId, workspace, eventId, eventType };
  return { ...NOT_MADE, _id: attemptId(_id, number), ...delivery, number };
}

/** There is one attempt of each number, whoever schedules it. */
function attemptId(deliveryId: string, number: number): string {
  return derivedId('att', deliveryId, String(number));
}

const NOT_MADE = {
  priority: PRIORITY.scheduled,
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
