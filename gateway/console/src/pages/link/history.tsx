import { useEffect } from 'preact/hooks';
import { listHistory, type AuditEntry } from '../../api/audit.js';
import type { Link } from '../../api/links.js';
import { useLoad, useReloadWhile } from '../../app/load.js';
import { can, pageOf, workspace } from '../../app/session.js';
import { Icon } from '../../components/icon.js';
import { LoadNotice } from '../../components/notice.js';
import { formatMoment } from '../../format/format.js';
import { t } from '../../messages/messages.js';
import { ensure } from '../links/catalogue.js';
import { readChanges } from './changes.js';

/** The entry of an older change is expired rather than late. */
const LATE_MAX_MS = 120_000;
const LENGTH_MAX = 120;

/** What members and programs did with the link, newest first. */
export function History({ link }: { link: Link }) {
  const { state, reload } = useLoad(`${link.id} ${link.updated_at}`, () => listHistory(workspace.value, link.id));
  const entries = state.value.data ?? [];
  const { loadedAt } = state.value;
  useReloadWhile(isBehind(link, entries), { key: link.updated_at, loadedAt }, reload);
  const names = new Set(entries.flatMap(({ changes }) => Object.keys(changes ?? {})));
  useEffect(() => {
    if (names.has('tag_ids')) void ensure('tags');
    if (names.has('folder_id')) void ensure('folders');
  }, [entries]);
  return (
    <section class="panel">
      <header class="panel-head">
        <h2>{t.link.history}</h2>
        {can('audit_logs.list') && <a href={pageOf(`audit?target=${link.id}`)}>{t.nav.audit}</a>}
      </header>
      {state.value.failure && <LoadNotice loaded={state.value} />}
      <ol>
        {entries.map((entry) => (
          <Entry key={entry.id} entry={entry} />
        ))}
      </ol>
    </section>
  );
}

/** The audit log has a change within seconds, not at once. Its entry is never older than the change it describes. */
function isBehind(link: Link, entries: readonly AuditEntry[]): boolean {
  const changedAt = Date.parse(link.updated_at);
  if (Date.now() - changedAt > LATE_MAX_MS) return false;
  return !entries.some((entry) => Date.parse(entry.created_at) >= changedAt);
}

function Entry({ entry }: { entry: AuditEntry }) {
  const action = entry.action.split('.')[1] ?? '';
  return (
    <li class="history">
      <Icon name={ICONS[action] ?? 'edit'} />
      <div>
        <p class="history-head">
          <strong class="truncate">{entry.actor.name ?? entry.actor.type}</strong>
          <time class="muted" dateTime={entry.created_at}>
            {formatMoment(entry.created_at)}
          </time>
        </p>
        <p class="hint">{t.link.actions[action] ?? entry.action}</p>
        {readChanges(action, entry.changes ?? {}).map(({ name, from, to }) => (
          <p class="hint change" key={name}>
            {name}: <del>{shorten(from)}</del> {t.audit.to} <ins>{shorten(to)}</ins>
          </p>
        ))}
      </div>
    </li>
  );
}

const shorten = (text = t.none.toLowerCase()): string =>
  text.length > LENGTH_MAX ? `${text.slice(0, LENGTH_MAX)}…` : text;

const ICONS: Record<string, 'plus' | 'archive' | 'restore' | 'trash'> = {
  created: 'plus',
  archived: 'archive',
  reactivated: 'restore',
  deleted: 'trash',
};
