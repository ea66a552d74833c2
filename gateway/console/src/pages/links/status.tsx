import type { Link } from '../../api/links.js';
import { Icon } from '../../components/icon.js';
import { t } from '../../messages/messages.js';

/** Says the state in words; the mark only repeats it. */
export function Status({ status }: { status: Link['status'] }) {
  return (
    <span class="status">
      <span class="mark">
        {status === 'active' ? (
          <svg class="dot" viewBox="0 0 8 8" aria-hidden="true">
            <circle cx="4" cy="4" r="4" fill="var(--ok)" />
          </svg>
        ) : (
          <Icon name="archive" />
        )}
      </span>
      {t.links.statuses[status] ?? status}
    </span>
  );
}
