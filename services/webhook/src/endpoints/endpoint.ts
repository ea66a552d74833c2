import { Schema, type Model } from 'mongoose';
import type { WebhookBody } from '@waymark/contract/webhooks';
import type { Database } from '@waymark/kernel/mongo/database';
import type { SealedSecret } from './secret-box.js';

export interface Endpoint {
  _id: string;
  workspace: string;
  url: string;
  description: string | null;
  eventTypes: string[];
  enabled: boolean;
  /** The newest first; an older one signs too until it expires. */
  secrets: SealedSecret[];
  /** Attempts that failed since the last success, and when the first of them failed. */
  consecutiveFailures: number;
  failingSince?: Date;
  lastFailedAt?: Date;
  /** Grows with each change by a user, so that a background write never undoes one. */
  revision: number;
  /** Attempts scheduled up to this time are no longer sent, even if the endpoint is enabled again. */
  disabledAt?: Date;
  createdAt: Date;
  updatedAt: Date;
  /** When the next attempt is due; absent when none is scheduled. */
  dueAt?: Date;
  /**
   * An upper bound of the pending attempts. It grows with each added attempt, and the worker counts again when it comes
   * near the limit; 0 if nothing is pending.
   */
  pendingCount?: number;
  /** Present, without `dueAt`, while its attempts wait for a process that has this key: the last one lacked it. */
  missingKeyId?: string;
  /** When its owner was last notified of dropped deliveries. */
  dropNoticedAt?: Date;
  /** Grows whenever work is added, so that a worker that found no work can tell whether that still holds. */
  wakeNo: number;
  /** The fencing token of the lease: each new holder gets the next number. */
  leaseNo: number;
  leaseUntil: Date;
}

/**
 * A worker reads its endpoint again after this time at the latest. A request that changes an endpoint returns later
 * than that, so every attempt after the response uses the new URL and secrets.
 */
export const ENDPOINT_AGE_MAX_MS = 100;

/** The editable fields, by their wire names, as the audit log shows them. */
export const AUDITED_FIELDS = {
  url: 'url',
  description: 'description',
  event_types: 'eventTypes',
  enabled: 'enabled',
} as const satisfies Record<string, keyof Endpoint>;

const schema = new Schema<Endpoint>({
  _id: String,
  workspace: String,
  url: String,
  description: String,
  eventTypes: [String],
  enabled: Boolean,
  secrets: [new Schema<SealedSecret>({ keyId: String, sealed: String, expiresAt: Date }, { _id: false })],
  consecutiveFailures: Number,
  failingSince: Date,
  lastFailedAt: Date,
  revision: Number,
  disabledAt: Date,
  createdAt: Date,
  updatedAt: Date,
  dueAt: Date,
  pendingCount: Number,
  missingKeyId: String,
  dropNoticedAt: Date,
  wakeNo: Number,
  leaseNo: Number,
  leaseUntil: Date,
});
schema.index({ workspace: 1, createdAt: -1, _id: -1 });
schema.index({ dueAt: 1 });
// Stale secrets are rare: without these indexes the resealing would read every endpoint each time.
schema.index({ 'secrets.keyId': 1 });
schema.index({ 'secrets.expiresAt': 1 });
schema.index({ missingKeyId: 1 }, { sparse: true });

export function endpointModel(db: Database): Model<Endpoint> {
  return db.model<Endpoint>('Endpoint', schema, 'endpoints');
}

interface Scheduled {
  createdAt: Date;
  /** Whether a user requested this very attempt. */
  isRequested?: boolean;
}

/** True if an attempt must still be made: a disabled endpoint gets what a user requested after it was disabled. */
export function acceptsAttempt({ enabled, disabledAt }: Endpoint, { createdAt, isRequested }: Scheduled): boolean {
  const isAfterDisabling = !disabledAt || createdAt > disabledAt;
  return isAfterDisabling && (enabled || isRequested === true);
}

/** Returns the parts that events and the audit log have of an endpoint. */
export function eventPartsOf(endpoint: Endpoint) {
  return {
    data: { webhook_id: endpoint._id, url: endpoint.url },
    target: { type: 'webhook', id: endpoint._id, label: endpoint.url },
  };
}

export function presentWebhook(endpoint: Endpoint): WebhookBody {
  return {
    id: endpoint._id,
    url: endpoint.url,
    description: endpoint.description,
    event_types: endpoint.eventTypes,
    enabled: endpoint.enabled,
    status: statusOf(endpoint),
    consecutive_failures: endpoint.consecutiveFailures,
    created_at: endpoint.createdAt.toISOString(),
    updated_at: endpoint.updatedAt.toISOString(),
  };
}

function statusOf(endpoint: Endpoint): WebhookBody['status'] {
  if (!endpoint.enabled) return 'disabled';
  return endpoint.consecutiveFailures > 0 ? 'failing' : 'healthy';
}
