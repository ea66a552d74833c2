import type { ImportRowBody, RowOutcome } from '@waymark/contract/imports';
import { AppError } from '@waymark/kernel/errors';
import type { Page, PageOf } from '@waymark/kernel/http/reply';
import type { ImportContext } from './context.js';
import { shortUrl } from '../links/link.js';
import type { ImportJob } from './import-job.js';
import type { RowResult } from './result-store.js';

/** @throws AppError `not_found` for an import whose results are no longer kept, or never were */
export async function listRows(
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
