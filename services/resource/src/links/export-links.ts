import type { EventContext } from '@waymark/contract/event';
import { UTM_KEYS } from '@waymark/contract/links';
import { drawnStyle } from '@waymark/contract/qr-style';
import { csvFile, type Cell } from '@waymark/kernel/http/csv';
import type { Reply } from '@waymark/kernel/http/reply';
import { availabilityOf } from './availability.js';
import type { LinkContext } from './context.js';
import type { ContentType } from './content-type.js';
import { completed, shortUrl, type TaggedLink } from './link.js';
import { readAllLinks, type Filters } from './list-links.js';
import { runChange } from './run-change.js';

interface LinkExport {
  workspace: string;
  event: EventContext;
  signal: AbortSignal;
  filters: Filters;
}

type Column = readonly [name: string, valueOf: (tagged: TaggedLink, shortBaseUrl: string) => Cell];

const OBSERVED: readonly Column[] = [
  ['availability', ({ link }) => availabilityOf(completed(link), new Date())],
  ['blocked_at', ({ link }) => link.blocked?.at.toISOString() ?? null],
  ['blocked_reason', ({ link }) => link.blocked?.reason ?? null],
  ['scans_count', ({ link }) => link.scansCount],
  ['last_scanned_at', ({ link }) => link.lastScannedAt?.toISOString() ?? null],
  ['created_at', ({ link }) => link.createdAt.toISOString()],
  ['updated_at', ({ link }) => link.updatedAt.toISOString()],
];
const CONTENT: readonly Column[] = [
  ['id', ({ link }) => link._id],
  ['short_url', ({ link }, shortBaseUrl) => shortUrl(link, shortBaseUrl)],
  ['destination_url', ({ link }) => link.destinationUrl],
  ['short_code', ({ link }) => link.shortCode],
  ['title', ({ link }) => link.title],
  ['campaign_tag', ({ link }) => link.campaignTag],
  ['query_policy', ({ link }) => completed(link).queryPolicy],
  ['starts_at', ({ link }) => link.startsAt?.toISOString() ?? null],
  ['expires_at', ({ link }) => link.expiresAt?.toISOString() ?? null],
  ['expired_url', ({ link }) => link.expiredUrl ?? null],
  ['max_scans', ({ link }) => link.maxScans ?? null],
  ['redirect_status', ({ link }) => completed(link).redirectStatus],
  ['forward_path', ({ link }) => String(completed(link).forwardPath)],
  ['status', ({ link }) => link.status],
  ...UTM_KEYS.map((key): Column => [key, ({ link }) => link.utmDefaults[key]]),
];
/** An import reads each of them, or ignores it as one of `EXPORT_ONLY_COLUMNS`. */
const LINK_COLUMNS: readonly Column[] = [
  ...CONTENT,
  ['domain_id', ({ link }) => link.domainId],
  ['folder_id', ({ link }) => link.folderId],
  ['tag_ids', ({ tags }) => tags.map(({ _id }) => _id).join(';')],
  ...OBSERVED,
];
/** Without the logo, which no spreadsheet could show. */
const QR_CODE_COLUMNS: readonly Column[] = [
  ...CONTENT,
  ...(['foreground', 'background', 'error_correction', 'margin'] as const).map((name): Column => [
    name,
    ({ link }) => link.style && drawnStyle(link.style)[name],
  ]),
  ...OBSERVED,
];

const LAYOUTS: Readonly<Record<ContentType['target'], { fileName: string; columns: readonly Column[] }>> = {
  link: { fileName: 'links', columns: LINK_COLUMNS },
  qr_code: { fileName: 'qr-codes', columns: QR_CODE_COLUMNS },
};

/** Exports the links of a list as CSV, in its order, as fast as the client reads. */
export function exportLinks(ctx: LinkContext, requested: LinkExport): Reply {
  const { fileName, columns } = LAYOUTS[ctx.contentType.target];
  const names = columns.map(([name]) => name);
  return csvFile(`${fileName}-${requested.workspace}`, names, exportRows(ctx, requested, columns));
}

/** Records the export in the audit log before it sends the first row. */
async function* exportRows(
  ctx: LinkContext,
  requested: LinkExport,
  columns: readonly Column[],
): AsyncGenerator<Cell[]> {
  await runChange(ctx, requested, (tx) => Promise.resolve(tx.emit(exportedEvent(ctx, requested))));
  const toCells = (tagged: TaggedLink) => columns.map(([, valueOf]) => valueOf(tagged, ctx.config.SHORT_BASE_URL));
  // While the client reads, only the cells stay in memory, not the logos.
  for await (const rows of readAllLinks(ctx, requested, toCells)) yield* rows;
}

function exportedEvent({ contentType }: LinkContext, { workspace, event, filters: requested }: LinkExport) {
  const filters = Object.fromEntries(
    Object.entries(requested).map(([name, value]) => [name, value instanceof Date ? value.toISOString() : value]),
  );
  const target = { type: 'workspace', id: workspace, label: null };
  return contentType.events.exported.create(
    event,
    { filters },
    { target, changes: { filters: { from: null, to: filters } } },
  );
}
