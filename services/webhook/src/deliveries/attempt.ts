import type { z } from 'zod';
import { derivedId } from '@waymark/contract/ids';
import { WEBHOOK_TEST } from '@waymark/contract/webhook-events';
import type { deliveryAttempt, DeliveryErrorType } from '@waymark/contract/webhooks';

/** Attempts that a user requested go before scheduled ones. */
const PRIORITY = { requested: 0, scheduled: 1 } as const;

/** The event that a delivery sends, field for field. */
export interface PublicEvent {
  id: string;
  type: string;
  created_at: string;
  workspace: string;
  data: object;
}

/** One attempt of a delivery (one event for one endpoint), from the moment it is scheduled. */
export interface Attempt {
  _id: string;
  deliveryId: string;
  endpointId: string;
  workspace: string;
  eventId: string;
  eventType: string;
  /** The link that the event is about; absent in rows of earlier versions. */
  linkId?: string | null;
  happenedAt: Date;
  number: number;
  /** The exact text that every attempt sends; only the latest attempt of a delivery has it. */
  body: string | null;
  status: 'pending' | 'succeeded' | 'failed';
  dueAt: Date;
  priority: number;
  statusCode: number | null;
  error: { type: DeliveryErrorType; message: string } | null;
  durationMs: number | null;
  attemptedAt: Date | null;
  nextRetryAt: Date | null;
  createdAt: Date;
  /** A user requested this attempt: it is made although its endpoint is disabled. */
  isRequested?: boolean;
}

/** Returns how many bytes of text an attempt holds. */
export const bodyBytes = ({ body }: Attempt): number => Buffer.byteLength(body ?? '');

/** Derives the same delivery from the same event and endpoint, even if the event arrives again. */
export function createFirstAttempt(
  event: PublicEvent,
  { endpointId, body, now }: { endpointId: string; body: string; now: Date },
): Attempt {
  const deliveryId = derivedId('dlv', event.id, endpointId);
  return {
    ...PENDING_FIELDS,
    _id: attemptId(deliveryId, 1),
    deliveryId,
    endpointId,
    workspace: event.workspace,
    eventId: event.id,
    eventType: event.type,
    linkId: linkIdOf(event),
    happenedAt: new Date(event.created_at),
    number: 1,
    body,
    dueAt: now,
    createdAt: now,
  };
}

/** Events have their link, or their QR code, in one field. */
function linkIdOf({ data }: PublicEvent): string | null {
  const { link, qr_code: qrCode } = data as Partial<Record<'link' | 'qr_code', { id: string }>>;
  return (link ?? qrCode)?.id ?? null;
}

export function nextAttempt({ isRequested: _, ...ended }: Attempt, dueAt: Date): Attempt {
  const number = ended.number + 1;
  return {
    ...ended,
    ...PENDING_FIELDS,
    _id: attemptId(ended.deliveryId, number),
    number,
    dueAt,
    createdAt: new Date(),
  };
}

/** Returns the fields that put a requested attempt first, also while its endpoint is disabled. */
export function expeditedNow() {
  const now = new Date();
  return { priority: PRIORITY.requested, dueAt: now, createdAt: now, isRequested: true };
}

/** Bounds the ids of a query: a delivery's attempts are looked up by their numbers. */
export const ATTEMPTS_MAX = 200;

/** Derives the id, so that there is one attempt of each number even if two processes schedule it. */
export function attemptId(deliveryId: string, number: number): string {
  return derivedId('att', deliveryId, String(number));
}

/** Returns the ids of `count` consecutive attempts of a delivery. */
export function attemptIds(deliveryId: string, first: number, count: number): string[] {
  return Array.from({ length: count }, (_, index) => attemptId(deliveryId, first + index));
}

/** A failed test says nothing about the deliveries of an endpoint. */
export const isTest = ({ eventType }: Pick<Attempt, 'eventType'>): boolean => eventType === WEBHOOK_TEST;

const PENDING_FIELDS = {
  priority: PRIORITY.scheduled,
  status: 'pending',
  statusCode: null,
  error: null,
  durationMs: null,
  attemptedAt: null,
  nextRetryAt: null,
} as const;

export function presentAttempt(attempt: Attempt): z.output<typeof deliveryAttempt> {
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
    created_at: attempt.createdAt.toISOString(),
    attempted_at: attempt.attemptedAt?.toISOString() ?? null,
    next_retry_at: (isScheduledRetry ? attempt.dueAt : attempt.nextRetryAt)?.toISOString() ?? null,
  };
}
