import { useLoad } from '../../app/load.js';
import { showWorkspace } from '../../api/workspaces.js';
import { can, workspace } from '../../app/session.js';
import { isQr } from '../../config/config.js';
import { formatNumber } from '../../format/format.js';
import { t } from '../../messages/messages.js';

/** Active links of the plan's quota; absent while the count is not known. */
export function QuotaMeter({ changes }: { changes: number }) {
  const key = can('workspaces.show') ? `${workspace.value} ${changes}` : null;
  const { usage } = useLoad(key, () => showWorkspace(workspace.value)).state.value.data ?? {};
  const active = isQr ? usage?.active_qr_codes : usage?.active_links;
  if (!active) return null;
  const { used, limit } = active;
  return (
    <div class="meter">
      {limit !== null && (
        <svg viewBox="0 0 96 6" preserveAspectRatio="none" aria-hidden="true">
          <rect width="96" height="6" fill="var(--ghost)" />
          <rect width={Math.min(96, (used / Math.max(limit, 1)) * 96)} height="6" fill="var(--data-1)" />
        </svg>
      )}
      <span>
        {limit === null
          ? t.links.meterUnlimited(used, formatNumber(used))
          : t.links.meter(formatNumber(used), formatNumber(limit))}
      </span>
    </div>
  );
}
