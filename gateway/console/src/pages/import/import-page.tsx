import { listImports, type LinkImport } from '../../api/imports.js';
import { useLoad } from '../../app/load.js';
import { query, segments } from '../../app/router.js';
import { can, pageOf, workspace } from '../../app/session.js';
import { ListPanel, Row } from '../../components/list.js';
import { Page } from '../../components/page.js';
import { Pager } from '../../components/pager.js';
import { formatMoment, formatNumber } from '../../format/format.js';
import { t } from '../../messages/messages.js';
import { ChooseFile } from './choose-file.js';
import { JobPage } from './job-page.js';
import { countsOf, StatusBadge } from './status.js';

const words = t.imports;

export default function ImportPage() {
  const id = segments.value[3];
  return id === undefined ? <Start /> : <JobPage key={id} id={id} />;
}

function Start() {
  const page = query.value.get('page') ?? '';
  const { state } = useLoad(`${workspace.value} ${page}`, () =>
    listImports(workspace.value, { ...(page && { page }) }),
  );
  const { data: found, ...rest } = state.value;
  return (
    <Page title={words.title}>
      <div class="stack">
        {can('imports.create') && <ChooseFile />}
        <ListPanel
          title={words.past}
          loaded={{ ...rest, data: found?.data }}
          empty={words.empty}
          row={(job) => <JobRow key={job.id} job={job} />}
          foot={found && found.meta.last_page > 1 && <Pager meta={found.meta} />}
        />
      </div>
    </Page>
  );
}

function JobRow({ job }: { job: Omit<LinkImport, 'errors'> }) {
  const time = formatMoment(job.created_at);
  return (
    <Row
      title={
        <>
          <a href={pageOf(`import/${job.id}`)}>
            {job.options.dry_run ? words.checked : words.imported} · {time}
          </a>
          <StatusBadge job={job} />
        </>
      }
      text={words.rows(job.total_rows, formatNumber(job.total_rows))}
      facts={countsOf(job)
        .map(({ label, count }) => `${label}: ${formatNumber(count)}`)
        .join(' · ')}
    />
  );
}
