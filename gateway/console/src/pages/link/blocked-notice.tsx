import type { Link } from '../../api/links.js';
import { Notice } from '../../components/notice.js';
import { formatMoment } from '../../format/format.js';
import { visits } from '../../messages/visits.js';

const words = visits.blocked;

/** Says since when and why visitors are turned away. */
export function BlockedNotice({ blocked: { at, reason } }: { blocked: NonNullable<Link['blocked']> }) {
  return (
    <Notice kind="danger" icon="lock">
      <p>
        <strong>{words.title(formatMoment(at))}</strong> {words.reason(reason)}
      </p>
      <p>{words.text}</p>
    </Notice>
  );
}
