import { clockText } from '../connection/connection-text.ts';
import type { HandlerStatus } from '../../../shared/schemas/dead-letter.ts';
import { formatDuration } from '../../../shared/domain/duration.ts';
import { searchValue } from '../../../shared/domain/search-syntax.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import type { SilencedRow, UpgradeRow } from '../../../shared/schemas/feed.ts';
import type { PlanRunStepState } from '../../../shared/schemas/plan-run.ts';
import { shortEscalationText } from '../../words/escalation-text.ts';
import { countText, shortCountText } from '../../words/count-text.ts';
import { targetText } from '../../../shared/domain/silence-name.ts';
import { keyOf } from '../../state/keys.ts';
import { plotLines } from '../../text/plot.ts';
import { run, type Line, type Run, type Tone } from '../../text/theme.ts';
import { aggregateBar, aggregateMark, isBelowThreshold, percentText } from '../../model/aggregate-book.ts';
import { operatorActionText } from '../../words/operator-action.ts';
import { auditEntry } from '../log/entries.ts';
import { whenText } from '../log/lines.ts';
import { openLog } from '../log/layer.ts';
import { openReport } from '../report/screen.ts';
import { openPlot, openPoints, openTotal, type OpenPoint } from '../open-over-time.ts';
import { placedSearch } from '../namespace-field.ts';
import { sampledAttributes } from '../../model/attribute-samples.ts';
import { splitName } from '../../model/backend-names.ts';
import { openFiltered } from '../open-filtered.ts';
import type {
  EscalatingEvent,
  NewCritical,
  OverviewFigures,
  SubscriptionProblems,
  FiguresSource,
} from '../../model/overview-figures.ts';
import type { OverviewData } from '../../model/view-data.ts';
import type { Screen, ConsoleHistory } from '../../state/ports.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { ListOfView } from '../../list/list-of-view.ts';
import type { ActionPorts } from '../../keys/action-ports.ts';
import type { BoxId } from '../../state/overview-position.ts';

/** A row of a box in the overview. */
export interface BoxRow {
  /** A key that is unique within the box. */
  readonly key: string;
  /** The left part of the row, which is cut at its end if it does not fit. It contains no control characters. */
  readonly left: readonly Run[];
  /** The right part of the row, which is never cut. */
  readonly right: readonly Run[];
  /** Called when the user presses Enter on the row. Without it, Enter does nothing. */
  readonly open?: (store: ActionPorts) => void;
}

/** A box of the overview. */
export interface OverviewBox {
  readonly id: BoxId;
  readonly title: string;
  /** The titles of the columns at the right end of the box. */
  readonly head: string;
  readonly rows: readonly BoxRow[];
  /** Returns the lines of the plot that is drawn instead of rows. */
  readonly plot?: (size: { readonly width: number; readonly height: number }) => readonly Line[];
  /** Called when the user presses Enter in a box without rows. */
  readonly open?: (store: ActionPorts) => void;
  /** True if the box is not drawn, because the site does not use the feature that it shows. */
  readonly isHidden?: boolean;
  /** The text that is shown if the box has no rows. */
  readonly empty: string;
  /** Minimum (`least`) and maximum (`most`) number of rows of the box, without its title. */
  readonly least: number;
  readonly most: number;
}

/** Maximum number of rows of a box in the overview; nobody scrolls further. */
const ROWS_MAX = 100;

/** Time in seconds: silences that end within it are listed as ending soon. */
const ENDING_SECONDS = 7200;

/** Time span of the plot of result rates, in milliseconds. */
const RATES_MS = 900_000;

const DAY_MS = 86_400_000;
const HOUR_MS = 3_600_000;

/** Width of an aggregate's bar with its brackets, in cells. */
const BAR_CELLS = 12;

const LOADING_TEXT = 'loading …';

/** Returns the current content of each box of the overview. */
export function overviewBoxes(store: ConsoleHistory & FiguresSource & LiveData): Readonly<Record<BoxId, OverviewBox>> {
  const figures = store.figures.figuresOf(store);
  const { data } = store.loads.loadOf('overview');
  return {
    open: openBox(store, figures),
    rates: ratesBox(store, data),
    critical: criticalBox(store, figures),
    escalations: escalationsBox(store, figures),
    aggregates: aggregatesBox(store),
    clients: clientsBox(store, data),
    day: dayBox(store, figures),
    actions: actionsBox(store, data),
    problems: problemsBox(figures),
    noisiest: noisiestBox(data),
    silences: silencesBox(store, figures),
    handlers: handlersBox(data),
    server: serverBox(store, data),
    upgrade: upgradeBox(store),
  };
}

/**
 * Returns a box; by default its column titles are empty.
 *
 * @param rows the minimum and maximum number of rows, without the title
 */
function boxOf(
  id: BoxId,
  title: string,
  [least, most]: readonly [number, number],
  box: Pick<OverviewBox, 'rows' | 'empty'> & Partial<Pick<OverviewBox, 'head' | 'open' | 'plot'>>,
): OverviewBox {
  return { id, title, head: '', least, most, ...box };
}

/** Returns the box with the plot of open problems. The newest numbers in it are the current ones of the feed. */
function openBox(
  { loads, feed, nowMs }: Pick<LiveData, 'loads' | 'feed' | 'nowMs'>,
  { open }: OverviewFigures,
): OverviewBox {
  const { data, failure } = loads.loadOf('day');
  const past = data === undefined ? [] : openPoints(data);
  const points = feed.hasBeenLive ? [...past, { at: nowMs, ...open }] : past;
  // A backend with a short history fills the plot with that history, but with at least an hour.
  const since = Math.max(nowMs - DAY_MS, Math.min(nowMs - HOUR_MS, past[0]?.at ?? 0));
  const span = { since, until: nowMs };
  return boxOf('open', 'Open problems', [5, 10], {
    head: past.length === 0 ? '' : openHead(points, nowMs),
    rows: [],
    ...(past.length > 0 && { plot: (size) => openPlot(points, span, size) }),
    open: openDayReport,
    empty: failure !== undefined ? 'unavailable' : data === undefined ? LOADING_TEXT : 'no history is stored',
  });
}

/** Returns the number of open problems now, and the largest number in the plot with its time. */
function openHead(points: readonly OpenPoint[], nowMs: number): string {
  const now = points.at(-1);
  if (now === undefined) return '';
  const most = points.reduce((worst, point) => (openTotal(point) > openTotal(worst) ? point : worst), now);
  const when = most.at >= nowMs ? 'now' : `at ${clockText(most.at, false)}`;
  return `now ${countText(openTotal(now))}, most ${countText(openTotal(most))} ${when}`;
}

function ratesBox({ feed, nowMs }: Pick<LiveData, 'feed' | 'nowMs'>, data: OverviewData | undefined): OverviewBox {
  const { rates, period } = data?.overview.results ?? { rates: feed.rates, period: 1 };
  const until = data === undefined ? nowMs : data.overview.at * 1000;
  const points = rates.map((value, index) => ({ at: until - (rates.length - 1 - index) * period * 1000, value }));
  const plot = { series: [{ points, isFilled: true }], since: until - RATES_MS, until, range: { min: 0, max: 1 } };
  return boxOf('rates', 'Results per second, 15 min', [4, 6], {
    rows: [],
    ...(rates.length > 0 && { plot: (size) => plotLines({ ...plot, valueText: rateText }, size) }),
    empty: LOADING_TEXT,
  });
}

function rateText(value: number): string {
  return value >= 10_000 ? shortCountText(value, 4) : countText(value);
}

function criticalBox({ nowMs, feed }: Pick<LiveData, 'feed' | 'nowMs'>, { newCritical }: OverviewFigures): OverviewBox {
  return boxOf('critical', 'New critical, last 10 min', [2, 12], {
    head: newCritical.length === 0 ? '' : 'start time, open for',
    rows: newCritical.slice(0, ROWS_MAX).map((entry) => criticalRow(entry, nowMs)),
    empty: feed.hasBeenLive ? 'none' : LOADING_TEXT,
  });
}

function criticalRow({ check, client, since, others }: NewCritical, nowMs: number): BoxRow {
  return {
    key: check,
    left: [
      run(`${clockText(since * 1000, false)}  `, 'faint'),
      run(safeLine(client)),
      ...(others === 0 ? [] : [run(` +${countText(others)}`, 'strong')]),
      run(` / ${safeLine(splitName(check).name)}`),
    ],
    right: [run(formatDuration(nowMs / 1000 - since, 1), 'critical')],
    open: (store) => openFiltered(store, 'events', `${placedSearch(check, checkSearch)} status=crit !silenced`),
  };
}

/** Returns the box with the events that escalate next; hidden if no event escalates. */
function escalationsBox({ nowMs }: Pick<LiveData, 'nowMs'>, { escalating }: OverviewFigures): OverviewBox {
  return {
    ...boxOf('escalations', 'Escalates next', [1, 8], {
      rows: escalating.slice(0, ROWS_MAX).map((event) => escalationRow(event, nowMs)),
      empty: 'none',
    }),
    isHidden: escalating.length === 0,
  };
}

function escalationRow({ client, check, escalation }: EscalatingEvent, nowMs: number): BoxRow {
  const { handler, remaining } = escalation;
  return {
    key: JSON.stringify([client, check]),
    left: [run(safeLine(`${client} / ${check}`)), run(`  ${safeLine(handler)}`, 'faint')],
    right: [run(shortEscalationText(escalation, nowMs), remaining === undefined ? 'critical' : 'faint')],
    open: (store) =>
      openFiltered(store, 'events', `${placedSearch(client, clientSearch)} ${checkSearch(check)} escalating`),
  };
}

function aggregatesBox(store: Pick<LiveData, 'aggregates' | 'loads'>): OverviewBox {
  const entries = [...store.aggregates.entries()].filter(isBelowThreshold);
  const isLoaded = store.loads.loadOf('aggregates').loadedAtMs !== undefined;
  return boxOf('aggregates', 'Aggregates below threshold', [1, 10], {
    rows: entries
      .toSorted((a, b) => (a.percent ?? 0) - (a.threshold ?? 0) - ((b.percent ?? 0) - (b.threshold ?? 0)))
      .slice(0, ROWS_MAX)
      .map((entry) => ({
        key: entry.name,
        left: [run(safeLine(entry.name))],
        right: [
          run(`  ok ${percentText(entry).padStart(4)} `),
          ...aggregateBar(entry, BAR_CELLS),
          run(` need ${String(entry.threshold ?? 0)} `),
          run(aggregateMark(entry).text, aggregateMark(entry).tone),
        ],
        open: (opened) => openFiltered(opened, 'aggregates', placedSearch(entry.name, searchValue)),
      })),
    empty: isLoaded ? `0 of ${countText(store.aggregates.size)}` : LOADING_TEXT,
  });
}

function clientsBox(store: Pick<LiveData, 'clients'>, data: OverviewData | undefined): OverviewBox {
  const { clients } = data?.overview ?? {};
  const stale = clients?.stale ?? 0;
  const gone = clients?.lost ?? 0;
  return boxOf('clients', 'Clients', [3, 3], {
    rows: [
      figureRow('registered', clients?.registered ?? store.clients.size, 'plain', (opened) =>
        openFiltered(opened, 'clients', ''),
      ),
      figureRow('stale: no keepalive', clients && stale, stale > 0 ? 'warning' : 'plain', openKeepalives),
      figureRow('not seen for over 1 h', clients && gone, gone > 0 ? 'critical' : 'plain', openKeepalives),
    ],
    empty: LOADING_TEXT,
  });
}

function dayBox({ loads, feed }: Pick<LiveData, 'loads' | 'feed'>, { open }: OverviewFigures): OverviewBox {
  const { data, failure, loadedAtMs } = loads.loadOf('day');
  return boxOf('day', 'Last 24 h', [3, 4], {
    head: loadedAtMs === undefined ? '' : `as of ${clockText(loadedAtMs, false)}`,
    rows:
      data === undefined
        ? []
        : [
            // This number is current, so that it agrees with the header.
            dayRow('open now', feed.hasBeenLive ? openTotal(open) : undefined, 'critical'),
            dayRow('checks that failed', data.total.checks, 'warning'),
            dayRow('outages', data.total.outages, 'warning'),
            dayRow('operator actions', data.actions.count, 'plain'),
          ],
    empty: failure === undefined ? LOADING_TEXT : 'unavailable',
  });
}

function dayRow(label: string, value: number | undefined, tone: Tone): BoxRow {
  return figureRow(label, value, value === 0 ? 'plain' : tone, openDayReport);
}

function openDayReport(store: Screen): void {
  openReport(store, '24h');
}

function openKeepalives(store: Screen & LiveData & ListOfView): void {
  openFiltered(store, 'events', 'check=keepalive');
}

function actionsBox(
  { nowMs, ownChanges }: ConsoleHistory & Pick<LiveData, 'nowMs'>,
  data: OverviewData | undefined,
): OverviewBox {
  const rows = (data?.actions ?? []).map((record): BoxRow => {
    const { who, text } = auditEntry(record);
    return {
      key: String(record.id),
      left: [
        run(`${whenText(record.at, nowMs).slice(0, 5)}  `, 'faint'),
        run(`${who}  ${safeLine(operatorActionText(record.action))} `),
        run(text),
      ],
      right: [],
      open: (store) => openLog(store, 'audit', record.id),
    };
  });
  const empty = data === undefined ? LOADING_TEXT : data.actions === undefined ? 'unavailable' : 'none';
  const own = ownChanges.last(nowMs).change;
  const head = own === undefined ? '' : `${keyOf('undo')} undoes your last change`;
  return { id: 'actions', title: 'Recent operator actions', head, rows, empty, least: 2, most: 12 };
}

/** Opens the events that the numbers of a subscription count. */
function openSubscription(store: ActionPorts, subscription: string): void {
  // An older backend does not send the subscriptions of events.
  if (sampledAttributes(store).length === 0)
    return openFiltered(store, 'clients', `subscriptions=${searchValue(subscription)} events>0`);
  openFiltered(store, 'events', `${placedSearch(subscription, subscriptionSearch)} !silenced`);
}

function subscriptionSearch(name: string): string {
  return `subscription=${searchValue(name)}`;
}

function clientSearch(name: string): string {
  return `client=${searchValue(name)}`;
}

function checkSearch(name: string): string {
  return `check=${searchValue(name)}`;
}

const PROBLEM_CELLS = 6;

function problemsBox({ problems }: OverviewFigures): OverviewBox {
  return boxOf('problems', 'Problems by subscription', [2, 16], {
    head: ['crit', 'warn', 'unkn'].map((head) => head.padStart(PROBLEM_CELLS)).join(''),
    rows: problems.slice(0, ROWS_MAX).map(problemRow),
    empty: 'none',
  });
}

function problemRow({ subscription, critical, warning, unknown }: SubscriptionProblems): BoxRow {
  return {
    key: subscription,
    left: [run(safeLine(subscription))],
    right: [countRun(critical, 'critical'), countRun(warning, 'warning'), countRun(unknown, 'unknown')],
    open: (store) => openSubscription(store, subscription),
  };
}

function countRun(count: number, tone: Tone): Run {
  return run(countText(count).padStart(PROBLEM_CELLS), count === 0 ? 'faint' : tone);
}

function noisiestBox(data: OverviewData | undefined): OverviewBox {
  const { noisiest } = data?.overview ?? { noisiest: [] };
  return boxOf('noisiest', 'Noisiest checks, 1 h', [2, 10], {
    head: `${'events'.padStart(9)}${'clients'.padStart(9)}`,
    rows: noisiest.map(({ check, events, clients }) => ({
      key: check,
      left: [run(safeLine(check))],
      right: [run(countText(events).padStart(9)), run(countText(clients).padStart(9))],
      open: (store) => openFiltered(store, 'events', placedSearch(check, checkSearch)),
    })),
    empty: data === undefined ? LOADING_TEXT : 'none',
  });
}

function silencesBox(
  { silenced, events, nowMs }: Pick<LiveData, 'silenced' | 'events' | 'nowMs'>,
  { silencedEvents }: OverviewFigures,
): OverviewBox {
  const { inhibited } = events.counts;
  const nowSeconds = nowMs / 1000;
  const ending = [...silenced.values()]
    .flatMap((entry) => (entry.expire_at === null ? [] : [{ entry, endsAt: entry.expire_at }]))
    .filter(({ endsAt }) => endsAt >= nowSeconds && endsAt - nowSeconds <= ENDING_SECONDS)
    .toSorted((a, b) => a.endsAt - b.endsAt);
  return boxOf('silences', 'Silences ending within 2 h', [1, 10], {
    rows: ending
      .slice(0, ROWS_MAX)
      .map(({ entry, endsAt }) => silenceRow(entry, endsAt, silencedEvents.get(entry.id) ?? 0)),
    head: inhibited === 0 ? '' : `${countText(inhibited)} inhibited`,
    empty: 'none',
  });
}

function silenceRow(entry: SilencedRow, endsAt: number, events: number): BoxRow {
  const { id, creator } = entry;
  const matches = events === 0 ? 'matches 0' : `${countText(events)} ${events === 1 ? 'event' : 'events'}`;
  return {
    key: id,
    left: [
      run(`${clockText(endsAt * 1000, false)}  `, 'faint'),
      run(`${safeLine(creator ?? 'unknown')}  ${safeLine(targetText(entry))}`),
    ],
    right: [run(matches, events === 0 ? 'warning' : 'plain')],
    open: (store) => openFiltered(store, 'silences', searchValue(id)),
  };
}

const HANDLER_CELLS = 8;

function handlersBox(data: OverviewData | undefined): OverviewBox {
  const handlers = data?.handlers ?? [];
  const titles = ['queued', 'running', 'failed', 'dead'].map((title) => title.padStart(HANDLER_CELLS)).join('');
  return boxOf('handlers', 'Handlers since start', [2, 10], {
    head: handlers.length === 0 ? '' : titles,
    rows: handlers.toSorted(compareHandlers).slice(0, ROWS_MAX).map(handlerRow),
    empty: data === undefined ? LOADING_TEXT : data.handlers === undefined ? 'unavailable' : 'none',
  });
}

/**
 * Compares handlers for sorting: by dead letters, then by failed runs, then by waiting runs, the largest number first.
 */
function compareHandlers(a: HandlerStatus, b: HandlerStatus): number {
  return b.dead_letters - a.dead_letters || b.failed - a.failed || waitingOf(b) - waitingOf(a);
}

/** Returns the number of runs of a handler that are queued or wait for a retry. */
function waitingOf({ queued, retrying }: HandlerStatus): number {
  return queued + retrying;
}

function handlerRow(handler: HandlerStatus): BoxRow {
  const { name, running, failed, dead_letters: dead } = handler;
  return {
    key: name,
    left: [run(safeLine(name))],
    right: [
      handlerFigure(waitingOf(handler), 'plain'),
      handlerFigure(running, 'plain'),
      handlerFigure(failed, 'warning'),
      handlerFigure(dead, 'critical'),
    ],
    open: (store) => openFiltered(store, 'dead-letters', `handler=${searchValue(name)}`),
  };
}

function handlerFigure(count: number, tone: Tone): Run {
  return run(shortCountText(count, HANDLER_CELLS - 1).padStart(HANDLER_CELLS), count === 0 ? 'faint' : tone);
}

function serverBox({ feed }: Pick<LiveData, 'feed'>, data: OverviewData | undefined): OverviewBox {
  const { queue, store, api, feed: consoles } = data?.overview ?? {};
  return boxOf('server', 'Server', [2, 4], {
    rows: [
      figureRow('results queued', feed.stats?.queue ?? queue?.results, 'plain', openUpgrade),
      figureRow('store writes, p99', msText(store?.write_p99_ms), 'plain', openUpgrade),
      figureRow('API responses, p99', msText(api?.response_p99_ms), 'plain', openUpgrade),
      figureRow('consoles', consoles?.consumers, 'plain', openUpgrade),
    ],
    empty: LOADING_TEXT,
  });
}

function upgradeBox({ plans, feed }: Pick<LiveData, 'plans' | 'feed'>): OverviewBox {
  const { row } = plans;
  return boxOf('upgrade', 'Upgrade', [1, 2], {
    rows: row?.state === 'open' ? upgradeRows(row) : [],
    empty: feed.hasBeenLive ? 'no open plan' : LOADING_TEXT,
  });
}

function upgradeRows({ from, to, holder, step }: UpgradeRow): readonly BoxRow[] {
  const path = run(safeLine(`${from} → ${to}`), 'strong');
  const progress =
    step === null ? '' : `  step ${String(step.number)} of ${String(step.total)}  ${STEP_WORDS[step.state]}`;
  return [
    { key: 'plan', left: [path, run(progress)], right: [], open: openUpgrade },
    {
      key: 'step',
      left: [run(safeLine(step?.title ?? ''), 'faint')],
      right: [
        run(`  ${holder === null ? 'no owner' : safeLine(holder)}  `, 'faint'),
        run('7: open the plan', 'accent'),
      ],
      open: openUpgrade,
    },
  ];
}

const STEP_WORDS: Readonly<Record<PlanRunStepState, string>> = {
  pending: 'ready to run',
  running: 'running',
  confirm: 'waiting for confirmation',
  done: 'done',
  failed: 'failed',
  skipped: 'skipped',
};

function openUpgrade(store: Screen & LiveData & ListOfView): void {
  openFiltered(store, 'upgrade', '');
}

function figureRow(label: string, value: number | string | undefined, tone: Tone, open: BoxRow['open'] & {}): BoxRow {
  const text = value === undefined ? '…' : typeof value === 'string' ? value : countText(value);
  return { key: label, left: [run(label)], right: [run(text, tone)], open };
}

function msText(ms: number | null | undefined): string | undefined {
  return ms === undefined ? undefined : ms === null ? 'none recently' : `${String(ms)} ms`;
}
