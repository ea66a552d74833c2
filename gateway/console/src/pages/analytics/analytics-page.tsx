import {
  analyticsRoute,
  fetchBreakdowns,
  fetchSummary,
  scansAddress,
  type Breakdowns,
  type Summary,
} from '../../api/analytics.js';
import { useLoad, type Loaded } from '../../app/load.js';
import { setQuery } from '../../app/router.js';
import { can, workspace } from '../../app/session.js';
import { Part } from '../../components/boundary.js';
import { Icon } from '../../components/icon.js';
import { failureText, LoadNotice, Notice } from '../../components/notice.js';
import { Page } from '../../components/page.js';
import { addDays, endOfMonth } from '../../format/dates.js';
import { formatDate, formatNumber, formatTimeIn } from '../../format/format.js';
import { t } from '../../messages/messages.js';
import { CONTENT_PANEL, DIMENSIONS, PANELS } from './dimensions.js';
import { FilterControls } from './filter-controls.js';
import { RankedPanel, TimePanel } from './panels.js';
import { RangeControls } from './range-controls.js';
import { clearFilters, parametersOf, readSelection, setRange, type Selection } from './selection.js';
import { TrendPanel } from './trend-panel.js';

const words = t.analytics;
const CHART_HEIGHT = { wide: 288, narrow: 208 };

/** All breakdowns come with one request; the list of a panel that is opened further is one more. */
const ROWS = '25';

export default function AnalyticsPage() {
  const selection = readSelection();
  const parameters = parametersOf(selection);
  const { interval, compare } = selection;
  const summaryQuery = { ...parameters, interval, ...(compare !== 'none' && { compare }) };
  const summary = useLoad(`${workspace.value} ${JSON.stringify(summaryQuery)}`, () =>
    fetchSummary(workspace.value, summaryQuery),
  ).state.value;
  const figures = dataOf(summary);
  const breakdowns = useLoad(`${workspace.value} ${JSON.stringify(parameters)}`, () =>
    fetchBreakdowns(workspace.value, { ...parameters, dimensions: DIMENSIONS.join(), limit: ROWS }),
  ).state.value;
  const rows = dataOf(breakdowns);
  return (
    <Page
      title={words.title}
      actions={
        <>
          <RangeControls selection={selection} />
          {can(analyticsRoute('export')) && (
            <a class="button" href={scansAddress(workspace.value, parameters)} download>
              <Icon name="import" />
              {t.exportCsv}
            </a>
          )}
        </>
      }
    >
      <FilterControls selection={selection} breakdowns={rows} />
      <div class="stack" aria-busy={summary.isLoading || breakdowns.isLoading}>
        <Problem loaded={summary.failure ? summary : breakdowns} />
        {!isRefused(summary) && (
          <Part>
            <TrendPanel
              summary={figures}
              height={CHART_HEIGHT}
              controls={<Intervals selection={selection} />}
              note={figures?.data.kpis.total_scans === 0 && <NoScans selection={selection} />}
              onOpen={(date) => openPoint(date, selection)}
            />
          </Part>
        )}
        {!isRefused(breakdowns) && (
          <Part>
            <Panels breakdowns={rows} selection={selection} />
          </Part>
        )}
        {figures && <Freshness summary={figures} selection={selection} />}
      </div>
    </Page>
  );
}

function Panels({ breakdowns, selection }: { breakdowns: Breakdowns | undefined; selection: Selection }) {
  return (
    <>
      <RankedPanel label={words.panels[0]} dimensions={CONTENT_PANEL} {...{ breakdowns, selection }} />
      {/* Below a panel whose length is not known yet they would move. */}
      {breakdowns && (
        <>
          <div class="panels">
            {PANELS.map((dimensions, index) => (
              <RankedPanel
                key={dimensions[0]}
                label={words.panels[index + 1]!}
                {...{ dimensions, breakdowns, selection }}
              />
            ))}
          </div>
          <TimePanel label={words.panels[4]} breakdowns={breakdowns} />
        </>
      )}
    </>
  );
}

/** Whether there will be no figures for this selection: nothing is loading then. */
const isRefused = ({ failure }: Loaded<unknown>): boolean => failure?.kind === 'input';

/** Figures of an earlier selection stay visible until the new ones have come, but not when there will be none. */
const dataOf = <T,>(loaded: Loaded<T>): T | undefined => (isRefused(loaded) ? undefined : loaded.data);

/** Selects the days of a point; an hour cannot be selected, and a single day is already. */
function openPoint(date: string, { interval, start, end }: Selection): void {
  if (start === end) return;
  const last = interval === 'week' ? addDays(date, 6) : interval === 'month' ? endOfMonth(date) : date;
  setRange(date < start ? start : date, last > end ? end : last);
}

/** Says why there are no figures; a question that is too large says how to narrow it. */
function Problem({ loaded }: { loaded: Loaded<unknown> }) {
  const { failure } = loaded;
  if (failure?.kind !== 'input') return <LoadNotice loaded={loaded} />;
  const reasons = Object.keys(failure.details).flatMap((name) => failure.of(name) ?? []);
  return (
    <Notice kind="warn" icon="warning" role="alert">
      <strong>{failure.of('narrow') ? words.tooLarge : words.notPossible}</strong>{' '}
      {reasons.join(' ') || failureText(failure)}
    </Notice>
  );
}

function NoScans({ selection }: { selection: Selection }) {
  const isFiltered = Object.keys(selection.filters).length > 0;
  return (
    <Notice
      kind="info"
      icon="chart"
      role="status"
      action={
        isFiltered && (
          <button type="button" class="link-button" onClick={clearFilters}>
            {t.links.clearFilters}
          </button>
        )
      }
    >
      {isFiltered ? words.noMatch : words.empty}
    </Notice>
  );
}

function Intervals({ selection: { intervals, interval } }: { selection: Selection }) {
  if (intervals.length < 2) return null;
  return (
    <span class="segments" role="group" aria-label={words.interval}>
      {intervals.map((name) => (
        <button key={name} type="button" aria-pressed={name === interval} onClick={() => setQuery({ interval: name })}>
          {words.intervals[name]}
        </button>
      ))}
    </span>
  );
}

/** Up to when the figures count, and what they leave out. */
function Freshness({ summary: { data, meta }, selection }: { summary: Summary; selection: Selection }) {
  const { data_as_of: countedTo, timezone, rows_kept_from: keptFrom } = meta;
  return (
    <p class="freshness">
      <span>
        <Icon name={countedTo === null ? 'clock' : 'check'} />
        {countedTo === null ? words.refilling : words.countedTo(formatTimeIn(countedTo, timezone), timezone)}
      </span>
      {!selection.hasBots && data.kpis.bot_scans > 0 && (
        <span>{words.botsLeftOut(data.kpis.bot_scans, formatNumber(data.kpis.bot_scans))}</span>
      )}
      {words.scansAre && <span>{words.scansAre}</span>}
      <span>{meta.unique_visitors_estimated ? words.estimated : words.perDay}</span>
      {keptFrom !== null && meta.start_date < keptFrom && <span>{words.keptFrom(formatDate(keptFrom))}</span>}
      <a href="https://db-ip.com" target="_blank" rel="noopener noreferrer">
        {words.places}
      </a>
    </p>
  );
}
