import { listImportRows, type LinkImport } from '../../api/imports.js';
import { useLoad } from '../../app/load.js';
import { query, setQuery } from '../../app/router.js';
import { pageOf, workspace } from '../../app/session.js';
import { Icon } from '../../components/icon.js';
import { ListPanel, Row } from '../../components/list.js';
import { Notice } from '../../components/notice.js';
import { Pager } from '../../components/pager.js';
import { Select } from '../../components/select.js';
import { formatNumber, withoutScheme } from '../../format/format.js';
import { t } from '../../messages/messages.js';
import { countsOf } from './status.js';

const words = t.imports;
type ResultRow = Awaited<ReturnType<typeof listImportRows>>['data'][number];

/** The result of each row; those with an error first where there are any. */
export function JobRows({ job }: { job: LinkImport }) {
  const chosen = query.value.get('outcome');
  const outcome = chosen ?? (job.failed_count > 0 ? 'failed' : 'all');
  const page = query.value.get('page') ?? '';
  const isKept = job.rows_kept_until !== null && Date.parse(job.rows_kept_until) > Date.now();
  const { state } = useLoad(isKept ? `${job.id} ${outcome} ${page}` : null, () =>
    listImportRows(workspace.value, job.id, { ...(outcome !== 'all' && { outcome }), ...(page && { page }) }),
  );
  if (!isKept) {
    return (
      <Notice kind="info" icon="clock">
        {words.notKept}
      </Notice>
    );
  }
  const { data: found, ...rest } = state.value;
  const options = Object.fromEntries(countsOf(job).map(({ outcome: each, label }) => [each, label]));
  return (
    <ListPanel
      title={words.results}
      loaded={{ ...rest, data: found?.data }}
      empty={words.noRows}
      head={
        <div class="fields-row">
          <Select
            label={words.outcome}
            value={outcome}
            options={{ all: words.allOutcomes, ...options }}
            onChange={(value) => setQuery({ outcome: value, page: undefined })}
          />
        </div>
      }
      row={(row) => <ResultItem key={row.row} {...{ row, job }} />}
      foot={found && found.meta.last_page > 1 && <Pager meta={found.meta} />}
    />
  );
}

function ResultItem({ row, job }: { row: ResultRow; job: LinkImport }) {
  const labels = job.options.dry_run ? words.planned : words.outcomes;
  const name = row.short_url ? withoutScheme(row.short_url) : row.short_code;
  const isFailed = row.outcome === 'failed';
  return (
    <Row
      title={
        <>
          {words.row(formatNumber(row.row))}
          <span class={`badge ${isFailed ? 'danger' : ''}`}>
            {isFailed && <Icon name="alert" />}
            {labels[row.outcome]}
          </span>
        </>
      }
      text={row.errors.length > 0 && <Errors errors={row.errors} />}
      facts={
        isFailed ? undefined : row.link_id === null ? (
          (name ?? words.newCode)
        ) : (
          <a href={pageOf(`links/${row.link_id}`)}>{name}</a>
        )
      }
    />
  );
}

function Errors({ errors }: { errors: ResultRow['errors'] }) {
  return (
    <>
      {errors.map(({ field, message }, index) => (
        <div key={index}>
          {field !== null && <span class="mono">{field}: </span>}
          {message}
        </div>
      ))}
    </>
  );
}
