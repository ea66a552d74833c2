import { newId } from '@waymark/contract/ids';
import { missing } from '@waymark/kernel/errors';
import type { Handlers } from '@waymark/kernel/http/api';
import { created, item, paginated } from '@waymark/kernel/http/reply';
import { KeyedLimit } from '@waymark/kernel/limits/keyed-limit';
import type { ImportContext } from './context.js';
import { hasMoreErrors, presentFigures, presentImport, type ImportJob } from './import-job.js';
import { listRows } from './list-rows.js';
import { needsNoThread } from './read-import.js';
import { withStagedRows } from './stage-rows.js';
import { IMPORTS_UNFINISHED_MAX, startImport } from './start-import.js';

type Routes = 'imports.create' | 'imports.list' | 'imports.show' | 'imports.rows';

/**
 * Each reader may take 100 MB. Keyed by user, because a user can have many workspaces. The bodies that wait have a limit
 * in bytes (`limits.largeBodies`).
 */
const READING = { total: 1, perKey: 1, waitMaxMs: 15_000 };

export function importHandlers(ctx: ImportContext, notifyWorkers: () => void): Pick<Handlers<'resource'>, Routes> {
  const find = async (workspace: string, id: string): Promise<ImportJob> => {
    const job = await ctx.imports.findImport(workspace, id);
    if (!job) throw missing('import', id);
    return job;
  };
  const readers = new KeyedLimit(READING);
  return {
    'imports.create': ({ body, handling, workspace, eventContext, url, signal, once }) => {
      const readImport = async () => {
        await ctx.unfinishedImports.prepareReservation(workspace.slug, IMPORTS_UNFINISHED_MAX);
        const reply = await withStagedRows(ctx, { id: newId('imp'), body, handling }, (staged) =>
          once(
            // The path of the request ends in `import`.
            (job: ImportJob) => created(presentImport(job), new URL(`${url.pathname}s/${job._id}`, url)),
            () => startImport(ctx, { owner: workspace, event: eventContext }, staged),
          ),
        );
        notifyWorkers();
        return reply;
      };
      // It waits for no large body of others.
      if (needsNoThread(body)) return readImport();
      return readers.run(eventContext.actor?.id ?? workspace.slug, readImport, signal);
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
