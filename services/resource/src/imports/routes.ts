import { newId } from '@waymark/contract/ids';
import { AppError, missing } from '@waymark/kernel/errors';
import type { ImportRowBody, RowOutcome } from '@waymark/contract/imports';
import type { Handlers } from '@waymark/kernel/http/api';
import { created, item, paginated } from '@waymark/kernel/http/reply';
import type { Page, PageOf } from '@waymark/kernel/mongo/page';
import { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';
import type { ImportContext } from './context.js';
import { hasMoreErrors, presentFigures, presentImport, type ImportJob } from './import-job.js';
import type { RowResult } from './result-store.js';
import { shortUrl } from '../links/link.js';
import { withStagedRows } from './stage-rows.js';
import { IMPORTS_UNFINISHED_MAX, startImport } from './start-import.js';

type Routes = 'imports.create' | 'imports.list' | 'imports.show' | 'imports.rows';

/** A large body takes up to 100 MB while it is read. */
const READING = { total: 1, waitMaxMs: 15_000 };
/** It waits for no large body. */
const SMALL_BYTES_MAX = 64 * 1024;

export function importHandlers(ctx: ImportContext, notifyWorkers: () => void): Pick<Handlers<'resource'>, Routes> {
  const find = async (workspace: string, id: string): Promise<ImportJob> => {
    const job = await ctx.imports.findImport(workspace, id);
    if (!job) throw missing('import', id);
    return job;
  };
  const reading = new KeyedLimit(READING);
  return {
    'imports.create': ({ body, handling, workspace, eventContext, url, signal, once }) => {
      const readImport = async () => {
        await ctx.unfinishedImports.prepareReservation(workspace.slug, IMPORTS_UNFINISHED_MAX);
        const reply = await withStagedRows(ctx, { id: newId('imp'), body, handling }, (staged) =>
          once(
            () => startImport(ctx, { owner: workspace, event: eventContext }, staged),
            // The path of the request ends in `import`.
            (job: ImportJob) => created(presentImport(job), new URL(`${url.pathname}s/${job._id}`, url)),
          ),
        );
        notifyWorkers();
        return reply;
      };
      return body.length <= SMALL_BYTES_MAX ? readImport() : reading.run(workspace.slug, readImport, signal);
    },
    'imports.list': async ({ query, workspace, url }) => {
      const page = { page: query.page, perPage: query.per_page };
      const { items, total } = await ctx.imports.findPage(workspace.slug, page);
      return paginated({ items: items.map(presentFigures), total }, { page, url });
    },
    'imports.show': async ({ params, workspace, url }) => {
      const job = await find(workspace.slug, params['id']!);
      return item(presentImport(job), { truncated: hasMoreErrors(job), rows_url: `${url.origin}${url.pathname}/rows` });
    },
    'imports.rows': async ({ params, query, workspace, url }) => {
      const job = await find(workspace.slug, params['id']!);
      const page = { page: query.page, perPage: query.per_page };
      return paginated(await listRows(ctx, job, { outcome: query.outcome, page }), { page, url });
    },
  };
}

/** @throws AppError `not_found` for an import whose results are no longer kept, or never were */
async function listRows(
  ctx: ImportContext,
  job: ImportJob,
  { outcome, page }: { outcome: RowOutcome | undefined; page: Page },
): Promise<PageOf<ImportRowBody>> {
  if (!job.rowsKeptUntil) throw new AppError('not_found', 'The results of the rows of this import were not stored.');
  if (job.rowsKeptUntil.getTime() <= Date.now()) throw expired(job.rowsKeptUntil);
  const results = await ctx.importResults.findResults(job, outcome, page);
  return {
    items: results.map((result) => presentRow(result, ctx.config.SHORT_BASE_URL)),
    total: outcome ? job.tally[outcome] : job.nextRow,
  };
}

const expired = (keptUntil: Date) =>
  new AppError('not_found', `The results of the rows of this import were kept until ${keptUntil.toISOString()}.`);

function presentRow({ row, outcome, linkId, place, errors }: RowResult, shortBaseUrl: string): ImportRowBody {
  return {
    row,
    outcome,
    link_id: linkId,
    short_code: place?.shortCode ?? null,
    short_url: place && shortUrl(place, shortBaseUrl),
    errors,
  };
}
