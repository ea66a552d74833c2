import { listHistory, type AuditEntry } from '../../api/audit.js';
import type { Domain } from '../../api/domains.js';
import { useLoad, useReloadWhile } from '../../app/load.js';
import { pageOf, workspace } from '../../app/session.js';
import { LoadNotice } from '../../components/notice.js';
import { formatMoment } from '../../format/format.js';
import { t } from '../../messages/messages.js';

const words = t.domains;

/** When the domain got each of its statuses, newest first; the audit log has them. */
export function DomainHistory({ domain: { id, status } }: { domain: Domain }) {
  const { state, reload } = useLoad(`${id} ${status}`, () => listHistory(workspace.value, id));
  const { data: entries, failure, loadedAt } = state.value;
  // The audit log has the entry of a new domain within seconds, not at once.
  useReloadWhile(entries?.length === 0, { key: id, loadedAt }, reload);
  return (
    <div class="details">
      {failure && <LoadNotice loaded={state.value} />}
      {!entries && !failure && <p class="hint">{t.loading}</p>}
      {entries && (
        <ol aria-label={words.history}>
          {entries.map((entry) => (
            <li key={entry.id}>
              <span class="muted">{formatMoment(entry.created_at)}</span> {textOf(entry)}
            </li>
          ))}
        </ol>
      )}
      <p>
        <a href={pageOf(`audit?target=${id}`)}>{t.nav.audit}</a>
      </p>
    </div>
  );
}

function textOf({ action, actor, changes }: AuditEntry): string {
  const name = (actor as { name?: string | null }).name ?? t.audit.system;
  const status = changes?.['status']?.to as Domain['status'] | undefined;
  if (action === 'domain.created') return words.added(name);
  if (action === 'domain.check_requested') return words.checkRequested(name);
  if (status) return words.statuses[status];
  return words.changed(name);
}
