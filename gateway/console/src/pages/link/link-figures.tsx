import { contentParameter, fetchSummary } from '../../api/analytics.js';
import { useLoad } from '../../app/load.js';
import { pageOf, workspace } from '../../app/session.js';
import { LoadNotice } from '../../components/notice.js';
import { addDays, ownTimeZone, todayIn } from '../../format/dates.js';
import { t } from '../../messages/messages.js';
import { TrendPanel } from '../analytics/trend-panel.js';

const DAYS = 30;
const HEIGHT = { wide: 176, narrow: 176 };

/** The figures of one link, compared with the days before. */
export function LinkFigures({ id }: { id: string }) {
  const timezone = ownTimeZone();
  const today = todayIn(timezone);
  const range = { start_date: addDays(today, 1 - DAYS), end_date: today, timezone };
  const { state } = useLoad(`${id} ${today}`, () =>
    fetchSummary(workspace.value, { ...range, [contentParameter]: id, interval: 'day', compare: 'previous_period' }),
  );
  const { data, failure } = state.value;
  return (
    <TrendPanel
      summary={data}
      height={HEIGHT}
      hasRate={false}
      head={
        <>
          <header class="panel-head">
            <h2>{t.analytics.lastDays(DAYS)}</h2>
            <a href={pageOf(`analytics?${contentParameter}=${id}`)}>{t.links.openAnalytics}</a>
          </header>
          {failure && <LoadNotice loaded={state.value} />}
        </>
      }
    />
  );
}
