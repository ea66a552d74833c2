import { useEffect, useMemo, useState } from 'preact/hooks';
import {
  listDeliveries,
  resendDelivery,
  showDelivery,
  type Delivery,
  type DeliveryRow,
  type Webhook,
} from '../../api/webhooks.js';
import { useLoad, useReloadWhile } from '../../app/load.js';
import { query, setQuery } from '../../app/router.js';
import { can, workspace } from '../../app/session.js';
import { Icon } from '../../components/icon.js';
import { ListPanel, Row } from '../../components/list.js';
import { LoadNotice } from '../../components/notice.js';
import { Select } from '../../components/select.js';
import { FailureNotice, useTask } from '../../components/task.js';
import { showToast } from '../../components/toast.js';
import { formatMoment, formatNumber } from '../../format/format.js';
import { t } from '../../messages/messages.js';

const words = t.webhooks;
const LOOKS = {
  succeeded: { kind: 'ok', icon: 'check' },
  failed: { kind: 'danger', icon: 'alert' },
  pending: { kind: 'warn', icon: 'clock' },
} as const;

interface LogProps {
  webhook: Webhook;
  /** Called with the newest delivery whenever it or its status is another one. */
  onNewest: (row: DeliveryRow) => void;
}

export function DeliveryLog({ webhook, onNewest }: LogProps) {
  const names = ['status', 'event_type', 'cursor'];
  const filters = Object.fromEntries(
    names.flatMap((name) => (query.value.get(name) ? [[name, query.value.get(name)!]] : [])),
  );
  const { state, reload } = useLoad(JSON.stringify(filters), () =>
    listDeliveries(workspace.value, webhook.id, filters),
  );
  const { data: page, ...rest } = state.value;
  const rows = useMemo(() => page && latestAttempts(page.data), [page]);
  const next = page?.meta.next_cursor;
  const latest = Object.keys(filters).length === 0 ? rows?.[0] : undefined;
  useReloadWhile(latest?.status === 'pending', { key: latest?.id ?? '', loadedAt: state.value.loadedAt }, reload);
  useEffect(() => {
    if (latest) onNewest(latest);
  }, [latest?.id, latest?.status]);
  const types = Object.fromEntries([...webhook.event_types, 'webhook.test'].map((type) => [type, type]));
  return (
    <ListPanel
      title={words.deliveries}
      loaded={{ ...rest, data: rows }}
      empty={words.noDeliveries}
      action={
        <button type="button" class="icon-button" aria-label={words.newest} onClick={() => newest(reload)}>
          <Icon name="refresh" />
        </button>
      }
      head={
        <div class="fields-row">
          <Select
            label={words.status}
            value={filters['status'] ?? ''}
            options={{ '': words.allStatuses, ...words.attemptStatuses }}
            onChange={(status) => setQuery({ status, cursor: undefined })}
          />
          <Select
            label={words.event}
            value={filters['event_type'] ?? ''}
            options={{ '': words.allEvents, ...types }}
            onChange={(event_type) => setQuery({ event_type, cursor: undefined })}
          />
        </div>
      }
      row={(row) => <DeliveryItem key={row.delivery_id} {...{ row, webhook }} onResent={() => void reload(true)} />}
      older={next ? { text: words.older, open: () => setQuery({ cursor: next }) } : undefined}
    />
  );
}

interface LatestAttempt extends DeliveryRow {
  /** The failed attempt before one that has not started yet. */
  failed?: DeliveryRow | undefined;
}

/** One row for each delivery: its latest attempt. The others are among its details. */
function latestAttempts(rows: readonly DeliveryRow[]): LatestAttempt[] {
  const seen = new Set<string>();
  return rows
    .filter(({ delivery_id: id }) => !seen.has(id) && seen.add(id))
    .map((row) => (row.status === 'pending' ? { ...row, failed: findFailed(rows, row.delivery_id) } : row));
}

const findFailed = (rows: readonly DeliveryRow[], delivery: string): DeliveryRow | undefined =>
  rows.find(({ delivery_id: id, status }) => id === delivery && status === 'failed');

function newest(reload: (isQuiet?: boolean) => Promise<void>): void {
  if (query.value.get('cursor')) setQuery({ cursor: undefined });
  else void reload(true);
}

interface ItemProps {
  row: LatestAttempt;
  webhook: Webhook;
  onResent: () => void;
}

function DeliveryItem({ row, webhook, onResent }: ItemProps) {
  const [isOpen, setOpen] = useState(false);
  // Until the next attempt starts, the reason of the last one is what a member looks for.
  const shown = row.failed ?? row;
  const { kind, icon } = LOOKS[shown.status];
  const time = formatMoment(shown.attempted_at ?? shown.created_at);
  const facts = [
    words.attempt(shown.attempt_number),
    shown.status_code === null ? shown.error?.message : String(shown.status_code),
    shown.duration_ms !== null && words.took(formatNumber(shown.duration_ms)),
    row.next_retry_at && words.retryAt(formatMoment(row.next_retry_at)),
  ];
  return (
    <Row
      title={
        <>
          <span class="mono">{row.event_type}</span>
          <span class={`badge ${kind}`}>
            <Icon name={icon} />
            {row.failed ? words.retrying : words.attemptStatuses[row.status]}
          </span>
        </>
      }
      text={time}
      facts={facts.filter(Boolean).join(' · ')}
      actions={
        <button
          type="button"
          class="button small"
          aria-expanded={isOpen}
          aria-label={`${isOpen ? words.hide : words.show} ${words.detailsOf(row.event_type, time)}`}
          onClick={() => setOpen(!isOpen)}
        >
          {isOpen ? words.hide : words.show}
        </button>
      }
    >
      {isOpen && <DeliveryDetails {...{ row, webhook, onResent }} />}
    </Row>
  );
}

function DeliveryDetails({ row, webhook, onResent }: ItemProps) {
  const { state } = useLoad(`${row.id} ${row.status}`, () =>
    showDelivery(workspace.value, webhook.id, row.delivery_id),
  );
  const resend = useTask(async () => {
    await resendDelivery(workspace.value, webhook.id, row.delivery_id);
    showToast({ text: words.resent });
    onResent();
  });
  const delivery = state.value.data;
  return (
    <div class="details">
      {state.value.failure && <LoadNotice loaded={state.value} />}
      {delivery && (
        <>
          <h3>{words.request}</h3>
          {delivery.payload ? (
            <pre class="code-block" tabIndex={0}>
              {JSON.stringify(delivery.payload, null, 2)}
            </pre>
          ) : (
            <p class="muted">{words.noPayload}</p>
          )}
          <h3>{words.attempts}</h3>
          {delivery.attempts.map((attempt) => (
            <Attempt key={attempt.id} attempt={attempt} />
          ))}
        </>
      )}
      <FailureNotice failure={resend.failure} />
      {can('webhooks.retry_delivery') && delivery?.attempts.some(({ status }) => status !== 'pending') && (
        <p>
          <button type="button" class="button small" onClick={() => void resend.start()}>
            <Icon name="refresh" />
            {words.resend}
          </button>
        </p>
      )}
    </div>
  );
}

function Attempt({ attempt }: { attempt: Delivery['attempts'][number] }) {
  const { response, error } = attempt;
  const headers = Object.entries(response?.headers ?? {}).map(([name, value]) => `${name}: ${value}`);
  const text = [...headers, ...(response?.body ? ['', response.body] : [])].join('\n');
  const summary = [
    words.attempt(attempt.attempt_number),
    formatMoment(attempt.attempted_at ?? attempt.created_at),
    attempt.status_code ?? words.attemptStatuses[attempt.status],
    error?.message,
  ];
  return (
    <div class="details">
      <p>{summary.filter(Boolean).join(' · ')}</p>
      {text && (
        <pre class="code-block" tabIndex={0} aria-label={words.answer}>
          {text}
        </pre>
      )}
      {response?.is_truncated && <p class="hint">{words.truncated}</p>}
    </div>
  );
}
