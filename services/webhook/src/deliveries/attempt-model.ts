import { Schema, type Model } from 'mongoose';
import type { Database } from '@waymark/shared/kernel/database';
import type { Attempt } from './attempt.js';

const KEPT_SECONDS = 30 * 24 * 3600;

const schema = new Schema<Attempt>({
  _id: String,
  deliveryId: String,
  endpointId: String,
  workspace: String,
  eventId: String,
  eventType: String,
  linkId: String,
  happenedAt: Date,
  number: Number,
  body: String,
  status: String,
  dueAt: Date,
  priority: Number,
  statusCode: Number,
  error: Schema.Types.Mixed,
  durationMs: Number,
  attemptedAt: Date,
  nextRetryAt: Date,
  createdAt: Date,
});
schema.index({ endpointId: 1, priority: 1, dueAt: 1 }, { partialFilterExpression: { status: 'pending' } });
schema.index({ endpointId: 1, createdAt: -1, _id: -1 });
// One for each filter of the log: what is rare is found without reading the rest.
schema.index({ endpointId: 1, status: 1, createdAt: -1, _id: -1 });
schema.index({ endpointId: 1, eventType: 1, createdAt: -1, _id: -1 });
schema.index({ endpointId: 1, linkId: 1, createdAt: -1, _id: -1 });
// Of each delivery its first attempt, by the time of the event: what a replay goes through.
schema.index({ endpointId: 1, happenedAt: 1, _id: 1 }, { partialFilterExpression: { number: 1 } });
schema.index({ createdAt: 1 }, { expireAfterSeconds: KEPT_SECONDS });

export function attemptModel(db: Database): Model<Attempt> {
  return db.model<Attempt>('Attempt', schema, 'attempts');
}

/** What a receiver answered to one attempt, redacted: beside the attempts, which are read and written far more often. */
export interface KeptResponse {
  /** Of the attempt. */
  _id: string;
  /** JSON: the names of headers are whatever the receiver chose. */
  text: string;
  createdAt: Date;
}

const responseSchema = new Schema<KeptResponse>({ _id: String, text: String, createdAt: Date });
responseSchema.index({ createdAt: 1 }, { expireAfterSeconds: KEPT_SECONDS });

export function responseModel(db: Database): Model<KeptResponse> {
  return db.model<KeptResponse>('KeptResponse', responseSchema, 'attempt_responses');
}
