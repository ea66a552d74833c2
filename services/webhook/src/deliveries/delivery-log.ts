import type { Model } from 'mongoose';
import type { DeliveryFilters, ReceivedResponse } from '@waymark/contract/webhooks';
import { firstMomentOf, lastMomentOf } from '@waymark/contract/date-or-time';
import type { Database } from '@waymark/kernel/mongo/database';
import { findCursorPage } from '@waymark/kernel/mongo/find-page';
import type { CursorPage } from '@waymark/kernel/mongo/page';
import { attemptIds, ATTEMPTS_MAX, type Attempt } from './attempt.js';
import { attemptModel, responseModel, type StoredResponse } from './attempt-model.js';

export interface LoggedAttempt {
  attempt: Attempt;
  response: ReceivedResponse | null;
}

/** The attempts of an endpoint as its owner sees them. */
export class DeliveryLog {
  private readonly attempts: Model<Attempt>;
  private readonly responses: Model<StoredResponse>;

  constructor(db: Database) {
    this.attempts = attemptModel(db);
    this.responses = responseModel(db);
  }

  listAttempts(endpointId: string, filters: DeliveryFilters): Promise<CursorPage<Attempt>> {
    const where = { endpointId, ...conditionOf(filters) };
    const { page, per_page: perPage, cursor } = filters;
    return findCursorPage({ model: this.attempts, where }, { page, perPage, cursor });
  }

  /** The attempts of one delivery, the newest first. */
  async findAttempts(endpointId: string, deliveryId: string): Promise<LoggedAttempt[]> {
    const ids = attemptIds(deliveryId, 1, ATTEMPTS_MAX);
    const attempts = await this.attempts
      .find({ _id: { $in: ids }, endpointId })
      .sort({ number: -1 })
      .lean<Attempt[]>();
    const made = attempts.map(({ _id }) => _id);
    const responses = await this.responses.find({ _id: { $in: made } }).lean<StoredResponse[]>();
    const byId = new Map(responses.map(({ _id, text }) => [_id, JSON.parse(text) as ReceivedResponse]));
    return attempts.map((attempt) => ({ attempt, response: byId.get(attempt._id) ?? null }));
  }
}

function conditionOf(filters: DeliveryFilters) {
  const { status, event_type: eventType, from, to } = filters;
  const linkId = 'qr_code_id' in filters ? filters.qr_code_id : 'link_id' in filters ? filters.link_id : undefined;
  const createdAt = { ...(from && { $gte: firstMomentOf(from) }), ...(to && { $lte: lastMomentOf(to) }) };
  return {
    ...(status && { status }),
    ...(eventType && { eventType }),
    ...(linkId && { linkId }),
    ...((from ?? to) && { createdAt }),
  };
}
