import { Schema, type Model } from 'mongoose';
import { isDuplicateKey } from '@waymark/kernel/errors';
import type { Database } from '@waymark/kernel/mongo/database';
import type { Page, PageOf } from '@waymark/kernel/mongo/page';
import { REASONS, type Reason, type Report } from './report.js';

const KEPT_DAYS = 90;
const COMMENTS_MAX = 10;

export interface Comment {
  at: Date;
  reason: Reason;
  text: string;
}

/** All reports of one link. */
export interface LinkReports {
  /** The id of the link. */
  _id: string;
  workspace: string;
  shortUrl: string;
  /** When it was reported last. */
  destinationHost: string;
  reportCount: number;
  counts: Partial<Record<Reason, number>>;
  firstAt: Date;
  lastAt: Date;
  /** Newest first. */
  comments: Comment[];
}

export type ReportedLink = Pick<LinkReports, '_id' | 'workspace' | 'shortUrl' | 'destinationHost'>;

/** The reports of all links that lead to one host. */
export type HostReports = Pick<LinkReports, 'reportCount' | 'firstAt' | 'lastAt'> &
  Record<Reason, number> & {
    /** The host. */
    _id: string;
    linkCount: number;
  };

/** The links that visitors have reported: one document each, however often they are reported. */
export class ReportStore {
  private readonly reports: Model<LinkReports>;

  constructor(db: Database) {
    const comment = new Schema<Comment>({ at: Date, reason: String, text: String }, { _id: false });
    const schema = new Schema<LinkReports>(
      {
        ...{ _id: String, workspace: String, shortUrl: String, destinationHost: String, reportCount: Number },
        ...{ firstAt: Date, lastAt: Date, comments: [comment] },
        counts: Object.fromEntries(REASONS.map((reason) => [reason, Number])),
      },
      { versionKey: false },
    );
    schema.index({ destinationHost: 1, reportCount: -1 });
    schema.index({ lastAt: 1 }, { expireAfterSeconds: KEPT_DAYS * 24 * 3600 });
    // For the erasure of a workspace.
    schema.index({ workspace: 1 });
    this.reports = db.model<LinkReports>('LinkReports', schema, 'link_reports');
  }

  /** Counts a report of a link, and keeps its comment. */
  async addReport({ _id, ...link }: ReportedLink, { reason, comment }: Omit<Report, 'url'>): Promise<void> {
    const reportedAt = new Date();
    const newest = { $each: [{ at: reportedAt, reason, text: comment }], $position: 0, $slice: COMMENTS_MAX };
    const add = () =>
      this.reports.updateOne(
        { _id },
        {
          $setOnInsert: { firstAt: reportedAt },
          $set: { ...link, lastAt: reportedAt },
          $inc: { reportCount: 1, [`counts.${reason}`]: 1 },
          ...(comment !== '' && { $push: { comments: newest } }),
        },
        { upsert: true },
      );
    try {
      await add();
    } catch (error) {
      // Another visitor reported the link for the first time at this moment.
      if (!isDuplicateKey(error)) throw error;
      await add();
    }
  }

  /** Returns a page of the hosts to which reported links lead, most reported first. */
  async findHosts(filter: { destinationHost?: string }, { page, perPage }: Page): Promise<PageOf<HostReports>> {
    const sums = Object.fromEntries(REASONS.map((reason) => [reason, { $sum: `$counts.${reason}` }]));
    const group = {
      ...{ _id: '$destinationHost', linkCount: { $sum: 1 }, reportCount: { $sum: '$reportCount' } },
      ...{ ...sums, firstAt: { $min: '$firstAt' }, lastAt: { $max: '$lastAt' } },
    };
    const grouped = [{ $match: filter }, { $group: group }];
    const items = await this.reports.aggregate<HostReports>([
      ...grouped,
      { $sort: { reportCount: -1, _id: 1 } },
      { $skip: (page - 1) * perPage },
      { $limit: perPage },
    ] as never);
    const [count] = await this.reports.aggregate<{ total: number }>([...grouped, { $count: 'total' }] as never);
    return { items, total: count?.total ?? 0 };
  }

  /** Returns the links that led to a host when they were reported, most reported first. */
  findLinksOf(destinationHost: string, limit: number): Promise<LinkReports[]> {
    return this.reports
      .find({ destinationHost })
      .sort({ reportCount: -1, _id: 1 })
      .limit(limit)
      .lean<LinkReports[]>()
      .exec();
  }
}
