import { Schema, type Model } from 'mongoose';
import type { Database } from '@waymark/kernel/mongo/database';
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
  isRequested: Boolean,
});
schema.index({ endpointId: 1, priority: 1, dueAt: 1 }, { partialFilterExpression: { status: 'pending' } });
schema.index({ endpointId: 1, createdAt: -1, _id: -1 });
// One index for each filter of the log: a query finds rare rows without reading the others.
schema.index({ endpointId: 1, status: 1, createdAt: -1, _id: -1 });
schema.index({ endpointId: 1, eventType: 1, createdAt: -1, _id: -1 });
schema.index({ endpointId: 1, linkId: 1, createdAt: -1, _id: -1 });
// A replay reads the first attempt of each delivery of some event types, by the time of the event.
schema.index({ endpointId: 1, eventType: 1, happenedAt: 1, _id: 1 }, { partialFilterExpression: { number: 1 } });
schema.index({ createdAt: 1 }, { expireAfterSeconds: KEPT_SECONDS });

export function attemptModel(db: Database): Model<Attempt> {
  return db.model<Attempt>('Attempt', schema, 'attempts');
}

/** The redacted response to one attempt, stored apart from the attempts, which are read and written far more often. */
export interface StoredResponse {
  /** The id of the attempt. */
  _id: string;
  /** JSON: the receiver chooses the names of headers. */
  text: string;
  createdAt: Date;
}

const responseSchema = new Schema<StoredResponse>({ _id: String, text: String, createdAt: Date });
responseSchema.index({ createdAt: 1 }, { expireAfterSeconds: KEPT_SECONDS });

export function responseModel(db: Database): Model<StoredResponse> {
  return db.model<StoredResponse>('KeptResponse', responseSchema, 'attempt_responses');
}
