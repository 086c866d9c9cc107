import type { ReactElement } from 'react';
import type { ConsoleState } from '../state/console-state.ts';
import type { EventCounts } from '../model/event-counts.ts';
import { currentLagMs, type FeedStatus } from '../model/feed-status.ts';
import type { ViewName } from '../state/view-names.ts';
import {
  ACKNOWLEDGED_SYMBOL,
  FLAPPING_SYMBOL,
  run,
  SILENCED_SYMBOL,
  SEVERITY_STYLES,
  type Run,
  type Theme,
} from '../text/theme.ts';
import type { ClusterTrouble } from '../../shared/domain/cluster.ts';
import type { Severity } from '../../shared/domain/severity.ts';
import { EVERY_NAMESPACE } from '../../shared/schemas/namespace.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import { troubleRuns } from './cluster/trouble.ts';
import { entityRuns, headerRule } from './entity-banner.ts';
import { clockText, connectionRuns, membersRuns } from './connection/connection-text.ts';
import { shownTime } from '../words/shown-time.ts';
import { countText } from '../words/count-text.ts';
import { cellWidth } from '../terminal/cells.ts';
import { Row } from '../text/row.tsx';
import { runsWidth, spreadRuns, completeRuns, fitRuns } from '../text/runs.ts';
import { sparkline } from '../text/sparkline.ts';
import { tabRuns, type SavedTab } from './tabs.ts';

export interface HeaderProps {
  readonly theme: Theme;
  readonly columns: number;
  readonly feed: FeedStatus;
  readonly counts: EventCounts;
  readonly paused: ConsoleState['paused'];
  readonly readOnly: boolean;
  /** The moment of the past that is shown; `undefined` if live data is shown. */
  readonly past: ConsoleState['past'];
  /** The moment of the past that is being loaded; `undefined` if no moment is being loaded. */
  readonly travel: ConsoleState['travel'];
  /** The name of the context. Without it, the name that the backend sent is shown. */
  readonly context?: string | undefined;
  /**
   * The shown namespace, which follows the name of the backend; `*` means all namespaces. `undefined` means `default`,
   * which is not shown.
   */
  readonly namespace?: string | undefined;
  /** The address of the backend, shown until the backend has sent its name. */
  readonly backend: string;
  readonly creator: string;
  /** The feed status of each backend of a merged list, by context. */
  readonly backends?: ReadonlyMap<string, FeedStatus> | undefined;
  /** The worst problem of the cluster that the backend belongs to; `undefined` if there is none. */
  readonly trouble?: ClusterTrouble | undefined;
  /** The text about who is on call; `undefined` if there are no schedules. */
  readonly onCall?: string | undefined;
  readonly nowMs: number;
  readonly view: ViewName;
  /** The tabs of saved views; default: none. */
  readonly savedTabs?: readonly SavedTab[];
}

/** Number of screen rows of each kind of header. */
export const HEADER_ROWS = { tall: 4, short: 1, none: 0 } as const;

/** Renders the header in one row, for small screens: name, connection, counters, time. */
export function ShortHeader(props: HeaderProps): ReactElement {
  const { feed, counts, nowMs, columns } = props;
  const lock = props.readOnly ? [run('  read-only', 'warning')] : [];
  const name = [run(` ${nameOf(props)} `, 'strong'), ...stateRuns(props)];
  const left = [...name, ...rateRuns(props, '/s'), ...entityRuns(feed.stats), ...lock];
  if (isStale(feed)) {
    const age = [run(' '), ...asOfRuns(feed), run(' ')];
    return <Row theme={props.theme} runs={spreadRuns(completeRuns(left, columns - runsWidth(age)), age, columns)} />;
  }
  const right = [
    run(`${SEVERITY_STYLES.critical.symbol}${countNow(feed, counts.critical)}`, 'critical'),
    run(` ${SEVERITY_STYLES.warning.symbol}${countNow(feed, counts.warning)}`, 'warning'),
    run(` ${SEVERITY_STYLES.unknown.symbol}${countNow(feed, counts.unknown)}`, 'unknown'),
    run(` ${SILENCED_SYMBOL}${countNow(feed, counts.silenced)}`, 'silenced'),
    ...(columns >= 80 && feed.stats !== undefined && props.paused === undefined && props.trouble === undefined
      ? [run(` ${SEVERITY_STYLES.ok.symbol}${countText(feed.stats.results.ok)}`, 'ok')]
      : []),
    run(`  ${clockText(nowMs, false)} `),
  ];
  // A very narrow screen has only space for the counters.
  if (runsWidth(right) > columns >> 1) {
    const fitting = completeRuns(right, columns);
    return (
      <Row theme={props.theme} runs={spreadRuns(completeRuns(name, columns - runsWidth(fitting)), fitting, columns)} />
    );
  }
  if (props.trouble === undefined) return <Row theme={props.theme} runs={spreadRuns(left, right, columns)} />;
  const available = columns - runsWidth([...name, ...lock, ...right]);
  return (
    <Row
      theme={props.theme}
      runs={spreadRuns([...name, ...troubleRuns(props.trouble, available), ...lock], right, columns)}
    />
  );
}

/** Renders the header with title, counters and tabs, for tall screens. */
export function TallHeader(props: HeaderProps): ReactElement {
  const { theme, feed, nowMs, columns, counts } = props;
  const lag =
    feed.connection.kind === 'live' && props.past === undefined
      ? [run(`  lag ${(largestLag(props) / 1000).toFixed(1)}s`)]
      : [];
  const mainRuns = [
    run(' mon  ', 'strong'),
    run(`${nameOf(props)}  `, 'strong'),
    ...stateRuns(props),
    ...rateRuns(props, ' results/s'),
    ...lag,
  ];
  const version = feed.backendVersion === undefined ? '' : `  srv ${safeLine(feed.backendVersion)}`;
  const who = userText(props);
  const clock = [...(isStale(feed) ? asOfRuns(feed) : [run(clockText(nowMs))]), run(' ')];
  const title = [...mainRuns, ...troubleRuns(props.trouble, columns - runsWidth([...mainRuns, ...clock]))];
  // The name of the user is only shown if there is space for it: the state of the connection is more important.
  const available = columns - runsWidth([...title, ...clock]);
  const userInfo = [`${who}${version}  `, `${who}  `, props.readOnly ? 'read-only  ' : ''].find(
    (text) => cellWidth(text) < available,
  );
  const events = counterRuns(counts, feed);
  const onCall = props.onCall === undefined ? [] : [run(`   ${safeLine(props.onCall)}`, 'strong')];
  const counters = runsWidth([...events, ...onCall]) < columns ? [...events, ...onCall] : events;
  const rates = rateLine(feed);
  const isRateShown = runsWidth([...counters, ...rates]) < columns;
  return (
    <>
      <Row theme={theme} runs={spreadRuns(title, [run(userInfo ?? ''), ...clock], columns)} />
      <Row theme={theme} runs={spreadRuns(counters, isRateShown ? rates : [], columns)} />
      <Row
        theme={theme}
        runs={fitRuns(tabRuns({ view: props.view, saved: props.savedTabs ?? [] }, columns), columns)}
      />
      <Row theme={theme} runs={headerRule(feed.stats, columns)} />
    </>
  );
}

function counterRuns(counts: EventCounts, feed: FeedStatus): readonly Run[] {
  const counter = (severity: Severity, count: number, name: string): Run => {
    const { symbol, tone } = SEVERITY_STYLES[severity];
    return run(` ${symbol} ${countNow(feed, count)} ${name}  `, count === 0 ? 'faint' : tone);
  };
  return [
    counter('critical', counts.critical, 'crit'),
    counter('warning', counts.warning, 'warn'),
    counter('unknown', counts.unknown, 'unkn'),
    ...(feed.stats === undefined ? [] : [counter('ok', feed.stats.results.ok, 'ok')]),
    run(` ${SILENCED_SYMBOL} ${countNow(feed, counts.silenced)} silenced  `, 'silenced'),
    run(
      ` ${FLAPPING_SYMBOL} ${countNow(feed, counts.flapping)} flapping`,
      counts.flapping === 0 ? 'faint' : 'flapping',
    ),
    // These counters are hidden at zero, because most sites have neither inhibition rules nor acknowledgements.
    ...(counts.acknowledged === 0
      ? []
      : [run(`   ${ACKNOWLEDGED_SYMBOL} ${countText(counts.acknowledged)} acked`, 'accent')]),
    ...(counts.inhibited === 0 ? [] : [run(`   ${countText(counts.inhibited)} inhibited`, 'silenced')]),
  ];
}

/** Returns a number of events, or `-` if the events have never been loaded: a zero would say that nothing is wrong. */
function countNow({ hasBeenLive: everLive }: FeedStatus, count: number): string {
  return everLive ? countText(count) : '-';
}

/** Width of the chart of result rates in cells. */
const RATE_CELLS = 16;

function rateLine(feed: FeedStatus): readonly Run[] {
  if (feed.rates.length === 0) return [];
  return [run('rate 5m ', 'faint'), run(`${sparkline(feed.rates, RATE_CELLS)} `, 'accent')];
}

function rateRuns({ feed, paused }: HeaderProps, unit: string): readonly Run[] {
  if (feed.stats === undefined || feed.connection.kind !== 'live' || paused !== undefined) return [];
  return [run(` ${countText(feed.stats.rate)}${unit}`)];
}

function stateRuns(props: HeaderProps): readonly Run[] {
  const { travel } = props;
  const state = connectionOrPast(props);
  return travel === undefined ? state : [...state, run(`  loading ${shownTime(travel.atMs)}, Esc cancels`, 'accent')];
}

function connectionOrPast({ backends, feed, paused, past, nowMs, travel }: HeaderProps): readonly Run[] {
  if (past !== undefined) {
    const { atMs, partial } = past;
    const back = partial === undefined && travel === undefined ? ' :now returns' : ' :now';
    const part = partial && run(`  ${countText(partial.rows)} of ${countText(partial.total)}`, 'warning');
    return [run(` VIEWING THE PAST ${shownTime(atMs)} `, 'alert'), run(back), ...(part ? [part] : [])];
  }
  if (backends === undefined || paused !== undefined) return connectionRuns(feed, paused, nowMs);
  return membersRuns(backends, nowMs);
}

function nameOf({ context, namespace, feed, backend }: HeaderProps): string {
  const namespaceSuffix = namespace === undefined ? '' : ` ns ${namespace === EVERY_NAMESPACE ? 'all' : namespace}`;
  return safeLine(`${context ?? feed.backendName ?? backend}${namespaceSuffix}`);
}

/** Returns whether the shown data may be outdated. */
export function isStale(feed: FeedStatus): boolean {
  return feed.hasBeenLive && feed.lostAtMs !== undefined;
}

/** Returns the name of the user, and whether this console can change anything: `rw` or `read-only`. */
function userText({ creator, readOnly, past }: HeaderProps): string {
  return `${safeLine(creator)} (${readOnly || past !== undefined ? 'read-only' : 'rw'})`;
}

function asOfRuns(feed: FeedStatus): readonly Run[] {
  return feed.lastFrameAtMs === undefined ? [] : [run(`as of ${clockText(feed.lastFrameAtMs)}`, 'warning')];
}

/** Returns the lag in milliseconds; of a merged list that of the live backend that is furthest behind. */
function largestLag({ feed, backends, nowMs }: HeaderProps): number {
  const live = [...(backends?.values() ?? [feed])].filter(({ connection }) => connection.kind === 'live');
  return Math.max(0, ...live.map((status) => currentLagMs(status, nowMs)));
}
