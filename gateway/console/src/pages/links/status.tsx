import type { Link } from '../../api/links.js';
import { Icon, type IconName } from '../../components/icon.js';
import { formatRecent } from '../../format/format.js';
import { t } from '../../messages/messages.js';

const ICONS: Record<Exclude<Link['availability'], 'available'>, IconName> = {
  scheduled: 'clock',
  expired: 'clock',
  used_up: 'check',
  blocked: 'lock',
  archived: 'archive',
};

/** Says in words what visitors get now; the mark only repeats it. */
export function Status({ link }: { link: Link }) {
  const { availability } = link;
  return (
    <span class={`status ${availability}`}>
      <span class="mark">
        {availability === 'available' ? (
          <svg class="dot" viewBox="0 0 8 8" aria-hidden="true">
            <circle cx="4" cy="4" r="4" fill="var(--ok)" />
          </svg>
        ) : (
          <Icon name={ICONS[availability]} />
        )}
      </span>
      {textOf(link)}
    </span>
  );
}

function textOf({ availability, starts_at, expires_at }: Link): string {
  if (availability === 'scheduled' && starts_at) return t.links.opens(formatRecent(starts_at));
  if (availability === 'expired' && expires_at) return t.links.closed(formatRecent(expires_at));
  return t.links.availabilities[availability] ?? availability;
}
