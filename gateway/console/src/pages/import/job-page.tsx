import { useEffect } from 'preact/hooks';
import { showImport, startImport, type LinkImport } from '../../api/imports.js';
import { useLoad } from '../../app/load.js';
import { navigate } from '../../app/router.js';
import { can, pageOf, workspace } from '../../app/session.js';
import { LoadNotice, Notice } from '../../components/notice.js';
import { Page } from '../../components/page.js';
import { FailureNotice, useTask } from '../../components/task.js';
import { formatMoment, formatNumber } from '../../format/format.js';
import { t } from '../../messages/messages.js';
import { DropZone } from './choose-file.js';
import { chosenFile } from './chosen-file.js';
import { JobRows } from './job-rows.js';
import { countsOf, isFinished, StatusBadge } from './status.js';

const words = t.imports;
const POLL_MS = 1000;

/** A check or an import, while it runs and afterwards; its id is in the address. */
export function JobPage({ id }: { id: string }) {
  const { state, reload } = useLoad(id, () => showImport(workspace.value, id));
  const job = state.value.data;
  const isRunning = job !== undefined && !isFinished(job);
  useEffect(() => {
    if (!isRunning) return;
    const timer = setInterval(() => void reload(true), POLL_MS);
    return () => clearInterval(timer);
  }, [isRunning]);
  const title = job?.options.dry_run === false ? words.jobTitle.run : words.jobTitle.check;
  return (
    <>
      <nav class="crumbs" aria-label={words.title}>
        <a href={pageOf('import')}>{words.title}</a>
      </nav>
      <Page title={job ? title : words.title} beside={job && <StatusBadge job={job} />}>
        <div class="stack">
          {state.value.failure && <LoadNotice loaded={state.value} />}
          {job && <Summary job={job} />}
          {job?.options.dry_run && isFinished(job) && can('imports.create') && <Run job={job} />}
          {job && isFinished(job) && <JobRows job={job} />}
        </div>
      </Page>
    </>
  );
}

function Summary({ job }: { job: LinkImport }) {
  const { status, processed_rows: done, total_rows: total } = job;
  return (
    <section class="panel">
      <div class="panel-head">
        <h2>{words.rows(total, formatNumber(total))}</h2>
        <span class="muted">{formatMoment(job.created_at)}</span>
      </div>
      <div class="panel-body stack" role="status">
        {status === 'failed' && (
          <Notice kind="danger" icon="alert">
            {words.failed}
          </Notice>
        )}
        {isFinished(job) ? (
          <dl class="usage">
            {countsOf(job).map(({ outcome, label, count }) => (
              <div key={outcome}>
                <dt>{label}</dt>
                <dd>{formatNumber(count)}</dd>
              </div>
            ))}
          </dl>
        ) : (
          <>
            <progress class="progress" value={done} max={total} aria-label={words.statuses[status]} />
            <p>{words.progress(formatNumber(done), formatNumber(total))}</p>
            <p class="hint">{words.mayLeave}</p>
          </>
        )}
      </div>
    </section>
  );
}

/** Starts the import that was checked. */
function Run({ job }: { job: LinkImport }) {
  const file = chosenFile.value;
  const { on_duplicate } = job.options;
  const changes = job.created_count + job.updated_count;
  const run = useTask(async () => {
    const body = { csv: file!.csv, options: { on_duplicate, dry_run: false } };
    const { id } = await startImport(workspace.value, body, file!.keys.run);
    chosenFile.value = undefined;
    navigate(pageOf(`import/${id}`));
  });
  if (changes === 0) {
    return (
      <Notice kind="warn" icon="warning">
        {words.nothingToDo}
      </Notice>
    );
  }
  return (
    <section class="panel">
      <div class="panel-body stack">
        <p>
          <strong>{words.nothingYet}</strong> {job.failed_count > 0 && words.withErrors}
        </p>
        {!file && <p>{words.again}</p>}
        {!file && <DropZone onDuplicate={on_duplicate} />}
        <FailureNotice failure={run.failure} />
        {file && (
          <p>
            <button type="button" class="button primary" aria-disabled={run.isBusy} onClick={() => void run.start()}>
              {words.run(changes, formatNumber(changes))}
            </button>
          </p>
        )}
      </div>
    </section>
  );
}
