import { setQuery } from '../app/router.js';
import { formatNumber } from '../format/format.js';
import { t } from '../messages/messages.js';

interface PagerProps {
  meta: { from: number | null; to: number | null; total: number; current_page: number; last_page: number };
}

/** The foot of a list with the pages before and after; the page is in the address. Absent for one page. */
export function Pager({ meta: { from, to, total, current_page: current, last_page: last } }: PagerProps) {
  if (last <= 1 && current <= 1) return null;
  const open = (number: number) => () => {
    setQuery({ page: number > 1 ? String(number) : undefined });
    scrollTo(0, 0);
  };
  return (
    <>
      <span>{t.range(formatNumber(from ?? 0), formatNumber(to ?? 0), formatNumber(total))}</span>
      <span class="row-actions">
        {current > 1 && (
          <button type="button" class="button quiet small" onClick={open(current - 1)}>
            {t.previous}
          </button>
        )}
        {current < last && (
          <button type="button" class="button quiet small" onClick={open(current + 1)}>
            {t.next}
          </button>
        )}
      </span>
    </>
  );
}
