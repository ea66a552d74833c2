import { newId } from '@waymark/shared/contract/ids';
import { notFound } from '@waymark/shared/kernel/errors';
import type { Handlers } from '@waymark/shared/kernel/http/api';
import { created, item } from '@waymark/shared/kernel/http/reply';
import type { ResourceContext } from '../context.js';
import { WorkspaceSemaphore } from '../workspace-semaphore.js';
import { presentImport, type ImportJob } from './import-job.js';
import { withStagedRows } from './stage-rows.js';
import { IMPORTS_UNFINISHED_MAX, startImport } from './start-import.js';

type Routes = 'imports.create' | 'imports.show';

/** Each reader may take 100 MB, and each that waits holds its body of up to 10 MB. */
const READING = { runningMax: 1, waitingMax: 4, waitingPerWorkspaceMax: 2, waitMaxMs: 15_000 };

export function importHandlers(ctx: ResourceContext, wake: () => void): Pick<Handlers<'resource'>, Routes> {
  const readers = new WorkspaceSemaphore(READING);
  return {
    'imports.create': ({ body, workspace, eventContext, url, once }) =>
      readers.run(workspace.slug, async () => {
        await ctx.unfinishedImports.open(workspace.slug, IMPORTS_UNFINISHED_MAX);
        const reply = await withStagedRows(ctx, newId('imp'), body, (staged) =>
          once(
            // The path of the request ends in `import`.
            (job: ImportJob) => created(presentImport(job), `${url.pathname}s/${job._id}`),
            () => startImport(ctx, eventContext, workspace, staged),
          ),
        );
        wake();
        return reply;
      }),
    'imports.show': async ({ params, workspace }) => {
      const job = await ctx.imports.byId(workspace.slug, params['id']!);
      if (!job) throw notFound();
      return item(presentImport(job));
    },
  };
}
