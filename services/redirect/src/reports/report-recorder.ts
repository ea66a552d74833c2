import { isOutage } from '@waymark/kernel/errors';
import type { Log } from '@waymark/kernel/process/log';
import type { Metrics } from '@waymark/kernel/process/metrics';
import type { RecordStore } from '../read-model/record-store.js';
import type { ShortHosts } from '../redirect/short-hosts.js';
import { targetKey, type TargetRecord } from '../targets/target-record.js';
import type { WorkspaceStates } from '../workspaces/workspace-states.js';
import { linkAddressOf, type Report } from './report.js';
import type { ReportStore } from './report-store.js';

/** Reports that are looked up and stored at the same time; few connections to the database are kept from visitors. */
const UNDER_WAY_MAX = 10;

/** `ignored`: not of a link; `dropped`: too many at the same time; `lost`: the database failed; `limited`: answered 429. */
export type ReportOutcome = 'stored' | 'ignored' | 'dropped' | 'lost' | 'limited';

export interface RecorderContext {
  shortHosts: ShortHosts;
  /** Without a slash at the end. */
  shortBaseUrl: string;
  targets: Pick<RecordStore<TargetRecord>, 'find'>;
  workspaces: Pick<WorkspaceStates, 'refusalFor'>;
  store: ReportStore;
  log: Log;
  metrics: Metrics;
}

/** Stores reports of links that exist, and counts what becomes of each report. */
export class ReportRecorder {
  private underWayCount = 0;
  private readonly outcomes;

  constructor(private readonly ctx: RecorderContext) {
    this.outcomes = ctx.metrics.counter('reports_total', 'Reports of links by visitors, by their outcome', ['outcome']);
  }

  count(outcome: ReportOutcome): void {
    this.outcomes.inc({ outcome });
  }

  /** Never rejects: no caller waits for it. */
  async record(report: Report | undefined): Promise<void> {
    if (!report) return this.count('ignored');
    if (this.underWayCount >= UNDER_WAY_MAX) return this.count('dropped');
    this.underWayCount += 1;
    try {
      this.count(await this.store(report));
    } catch (error) {
      if (!isOutage(error)) this.ctx.log.error({ err: error }, 'report not stored');
      this.count('lost');
    } finally {
      this.underWayCount -= 1;
    }
  }

  /** The look-up asks the database alone: a report is no way to send questions to the owner of codes. */
  private async store({ url, ...report }: Report): Promise<ReportOutcome> {
    const { shortHosts, shortBaseUrl, targets, workspaces, store } = this.ctx;
    const address = linkAddressOf(url, shortHosts);
    const target = address && (await targets.find(targetKey(address.hostname, address.shortCode)));
    if (!target || workspaces.refusalFor(target.workspace) === 'erased') return 'ignored';
    const destinationHost = URL.parse(target.destinationUrl)?.hostname;
    // The code of an erased workspace leads nowhere.
    if (!destinationHost) return 'ignored';
    const { id: _id, workspace, hostname, shortCode } = target;
    const shortUrl = `${hostname === null ? shortBaseUrl : `https://${hostname}`}/${shortCode}`;
    await store.addReport({ _id, workspace, shortUrl, destinationHost }, report);
    return 'stored';
  }
}
