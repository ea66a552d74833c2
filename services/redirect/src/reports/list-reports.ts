import type { Page, PageOf } from '@waymark/kernel/mongo/page';
import { REASONS } from './report.js';
import type { HostReports, LinkReports, ReportStore } from './report-store.js';

const LINKS_SHOWN = 20;
const COMMENTS_SHOWN = 10;

/** Lists reports for the operator: the hosts with their most reported links and the newest comments on those. */
export async function listReports(
  store: ReportStore,
  { host, page }: { host?: string; page: Page },
): Promise<PageOf<object>> {
  const { items, total } = await store.findHosts(host === undefined ? {} : { destinationHost: host }, page);
  const shown: object[] = [];
  for (const hostReports of items) {
    shown.push(describe(hostReports, await store.findLinksOf(hostReports._id, LINKS_SHOWN)));
  }
  return { items: shown, total };
}

const describe = (host: HostReports, links: readonly LinkReports[]): object => ({
  destination_host: host._id,
  reports: host.reportCount,
  ...Object.fromEntries(REASONS.map((reason) => [reason, host[reason]])),
  first_at: host.firstAt,
  last_at: host.lastAt,
  links_count: host.linkCount,
  links: links.map(describeLink),
  comments: newestComments(links),
});

const describeLink = ({ _id: id, workspace, shortUrl, reportCount, counts, firstAt, lastAt }: LinkReports) => ({
  short_url: shortUrl,
  id,
  workspace,
  reports: reportCount,
  ...Object.fromEntries(REASONS.map((reason) => [reason, counts[reason] ?? 0])),
  first_at: firstAt,
  last_at: lastAt,
});

const newestComments = (links: readonly LinkReports[]): object[] =>
  links
    .flatMap(({ shortUrl, comments }) => comments.map((comment) => ({ ...comment, short_url: shortUrl })))
    .toSorted((a, b) => Number(b.at) - Number(a.at))
    .slice(0, COMMENTS_SHOWN);
