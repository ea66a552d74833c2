import { notFound } from '@waymark/shared/kernel/errors';
import type { Handlers } from '@waymark/shared/kernel/http/api';
import { created, item } from '@waymark/shared/kernel/http/reply';
import type { ResourceContext } from '../context.js';
import { presentImport, type ImportJob } from './import-job.js';
import { readCsv } from './read-csv.js';
import { readRows } from './read-rows.js';
import { startImport } from './start-import.js';

type Routes = 'imports.create' | 'imports.show';

export function importHandlers(ctx: ResourceContext, wake: () => void): Pick<Handlers<'resource'>, Routes> {
  return {
    'imports.create': async ({ body, workspace, eventContext, url, once }) => {
      const rows = await readRows(body.links ?? (await readCsv(body.csv!)));
      const reply = await once(
        // The path of the request ends in `import`.
        (job: ImportJob) => created(presentImport(job), `${url.pathname}s/${job._id}`),
        () => startImport(ctx, eventContext, workspace, rows, body.options),
      );
      wake();
      return reply;
    },
    'imports.show': async ({ params, workspace }) => {
      const job = await ctx.imports.byId(workspace.slug, params['id']!);
      if (!job) throw notFound();
      return item(presentImport(job));
    },
  };
}
