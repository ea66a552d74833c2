import { exportAddress, listEntries, verifyLog, type AuditEntry } from '../../api/audit.js';
import { useLoad } from '../../app/load.js';
import { query, setQuery } from '../../app/router.js';
import { can, canExportAudit, workspace } from '../../app/session.js';
import { Field } from '../../components/field.js';
import { Icon } from '../../components/icon.js';
import { ListPanel, Row } from '../../components/list.js';
import { Page } from '../../components/page.js';
import { formatMoment, formatNumber } from '../../format/format.js';
import { t } from '../../messages/messages.js';
import { flattenChanges } from '../link/changes.js';

const words = t.audit;
const FILTERS = ['action', 'actor', 'target', 'from', 'to'] as const;
type Filters = Record<string, string>;

const readQuery = (names: readonly string[]): Filters =>
  Object.fromEntries(names.flatMap((name) => (query.value.get(name) ? [[name, query.value.get(name)!]] : [])));

export default function AuditPage() {
  const filters = readQuery(FILTERS);
  const all = readQuery([...FILTERS, 'cursor']);
  const { state } = useLoad(JSON.stringify(all), () => listEntries(workspace.value, all));
  const { data: page, ...rest } = state.value;
  const next = page?.meta.next_cursor;
  return (
    <Page
      title={words.title}
      beside={can('audit_logs.verify') && <Verification />}
      actions={
        canExportAudit() && (
          <a class="button" href={exportAddress(workspace.value, filters)} download>
            <Icon name="export" />
            {t.exportCsv}
          </a>
        )
      }
    >
      <ListPanel
        title={words.list}
        loaded={{ ...rest, data: page?.data }}
        empty={words.empty}
        head={<FilterForm key={JSON.stringify(filters)} filters={filters} problem={problemOf(rest.failure)} />}
        row={(entry) => <EntryRow key={entry.id} entry={entry} />}
        older={next ? { text: words.older, open: () => setQuery({ cursor: next }) } : undefined}
      />
    </Page>
  );
}

const problemOf =
  (failure: { of: (field: string) => string | undefined } | undefined) =>
  (name: string): string | undefined =>
    failure?.of(name);

interface FilterProps {
  filters: Filters;
  problem: (name: string) => string | undefined;
}

function FilterForm({ filters, problem }: FilterProps) {
  const hints: Filters = { action: words.actionHint, actor: words.actorHint };
  return (
    <form
      class="fields-row"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        const fields = new FormData(event.currentTarget);
        const texts = FILTERS.map((name) => [name, (fields.get(name) as string).trim() || undefined]);
        setQuery({ ...(Object.fromEntries(texts) as Filters), cursor: undefined });
      }}
    >
      {FILTERS.map((name) => (
        <Field
          key={name}
          label={words.filters[name]}
          name={name}
          type={name === 'from' || name === 'to' ? 'date' : 'text'}
          defaultValue={filters[name] ?? ''}
          placeholder={hints[name]}
          autoComplete="off"
          problem={problem(name)}
        />
      ))}
      <button type="submit" class="button">
        {words.apply}
      </button>
      {Object.keys(filters).length > 0 && (
        <button
          type="button"
          class="button quiet"
          onClick={() => setQuery(Object.fromEntries([...FILTERS, 'cursor'].map((name) => [name, undefined])))}
        >
          {words.clear}
        </button>
      )}
    </form>
  );
}

/** Says whether the chain of entries is whole. */
function Verification() {
  const { state } = useLoad(`verify ${workspace.value}`, () => verifyLog(workspace.value));
  const verdict = state.value.data;
  if (!verdict) return state.value.failure ? null : <span class="badge">{words.verifying}</span>;
  const { valid, checked, first_break: broken } = verdict;
  return (
    <span class={`badge ${valid ? 'ok' : 'danger'}`}>
      <Icon name={valid ? 'check' : 'alert'} />
      {valid || !broken ? words.valid(formatNumber(checked)) : words.invalid(words.reasons[broken.reason])}
    </span>
  );
}

function EntryRow({ entry }: { entry: AuditEntry }) {
  const { actor, target, changes } = entry;
  const details = flattenChanges(changes ?? {});
  return (
    <Row
      title={
        <>
          <span class="mono">{entry.action}</span>
          {entry.damaged && <span class="badge danger">{words.damaged}</span>}
        </>
      }
      text={target && [target.label, target.id].filter(Boolean).join(' · ')}
      facts={[nameOf(actor), formatMoment(entry.created_at), entry.ip_address].filter(Boolean).join(' · ')}
    >
      {details.length > 0 && (
        <ul class="hint">
          {details.map(({ name, from, to }) => (
            <li key={name}>
              {name}:{' '}
              {from !== undefined && (
                <>
                  <del>{from}</del> {words.to}{' '}
                </>
              )}
              <strong>{to ?? t.none.toLowerCase()}</strong>
            </li>
          ))}
        </ul>
      )}
    </Row>
  );
}

/** A program acts for a user. */
function nameOf({ name, token }: AuditEntry['actor']): string {
  if (name && token?.name && token.name !== name) return words.byToken(name, token.name);
  return name ?? words.system;
}
