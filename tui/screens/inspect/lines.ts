import { aggregateMark, aggregateBar, percentText, type AggregateEntry } from '../../model/aggregate-book.ts';
import { sparkline } from '../../text/sparkline.ts';
import { cellWidth, fitToWidth } from '../../terminal/cells.ts';
import type { AggregateRuleVerdict } from '../../../shared/schemas/aggregate.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import type { ClientDetail } from '../../../shared/schemas/check-summary.ts';
import { commandText } from '../../../shared/domain/command-text.ts';
import { formatDuration } from '../../../shared/domain/duration.ts';
import { severityOf, SEVERITIES_WORST_FIRST, type Severity } from '../../../shared/domain/severity.ts';
import { agentThresholds, hasKeepaliveThresholds, type AgentThresholds } from '../../../shared/domain/v2/keepalive.ts';
import { KEEPALIVE_THRESHOLDS } from '../../../shared/schemas/keepalive.ts';
import type { StoredResult } from '../../../shared/schemas/result.ts';
import { countText } from '../../words/count-text.ts';
import { run, SILENCED_SYMBOL, SEVERITY_STYLES, type Line, type Run, type Tone } from '../../text/theme.ts';
import { countOf } from '../../words/changes.ts';
import { historyRuns } from '../../model/history-runs.ts';
import type { AggregateHistory, InspectLayer, SubjectData } from '../../state/layers/inspect.ts';
import { TALL_ROWS, type ScreenSize } from '../../state/console-state.ts';
import { plotLines, type Plot } from '../../text/plot.ts';
import { nextRunText } from '../../words/next-run-text.ts';
import { checkScheduleText } from '../checks/table.ts';
import { boundedLines, descriptionLines, RowCache, textRows, type Description } from '../../text/describe.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { ScreenView } from '../../state/ports.ts';

/**
 * Returns the summary of a client, check, aggregate or result, for the top of its screen. Each line takes one screen
 * row.
 */
export function inspectHead(store: ScreenView & LiveData, { load, subject }: InspectLayer): readonly Line[] {
  const { data } = load;
  if (data === undefined) return [];
  return descriptionLines(subjectDetails(store, subject.name, data), {
    width: store.state.size.columns - 1,
    wraps: false,
  });
}

function subjectDetails(store: ScreenView & LiveData, name: string, data: SubjectData): readonly Description[] {
  switch (data.kind) {
    case 'client':
      return clientDetails(store, data.detail);
    case 'check':
      return checkDetails(store, data);
    case 'aggregate':
      return aggregateDetails(store, name, data);
    case 'result':
      return resultDetails(store, data.result);
  }
}

/** Returns the text of the inspect screen: the output of a result, or the data as JSON. */
export function inspectText(store: ScreenView, { load: { data }, raw }: InspectLayer): readonly Line[] {
  if (data === undefined) return [];
  const width = store.state.size.columns - 1;
  return textPartsCache.rowsOf(data, `${String(width)} ${String(raw)}`, () => {
    const isJson = raw || data.kind !== 'result';
    const text = isJson ? JSON.stringify(rawJsonOf(data), undefined, 2) : data.result.check.output;
    return textRows(boundedLines(text), { width });
  });
}

const textPartsCache = new RowCache<SubjectData>();

function rawJsonOf(data: SubjectData): unknown {
  switch (data.kind) {
    case 'client':
      return data.detail.client;
    case 'check':
      return data.definition ?? {};
    case 'aggregate':
      return { ...data.summary, outputs: data.outputs };
    case 'result':
      return data.result;
  }
}

function clientDetails(store: Pick<LiveData, 'clients' | 'nowMs'>, { client }: ClientDetail): readonly Description[] {
  const { name, address, version, subscriptions } = client;
  const others = subscriptions.filter((subscription) => subscription !== `client:${name}`);
  return [
    { label: 'keepalive', rows: [keepaliveRuns(store, client)] },
    { label: 'address', text: `${address}   version ${version === '' ? 'unknown' : version}` },
    { label: 'member of', text: others.length === 0 ? 'no subscription' : others.join(', ') },
    { label: 'record', text: attributesText(client) },
  ];
}

/** Returns the time since the last keepalive, compared with the thresholds of this client. */
function keepaliveRuns(
  { clients, nowMs }: Pick<LiveData, 'clients' | 'nowMs'>,
  client: ClientDetail['client'],
): readonly Run[] {
  const ageSeconds = nowMs / 1000 - (clients.get(client.name)?.timestamp ?? client.timestamp);
  const age = `${formatDuration(ageSeconds)} ago`;
  if (client['keepalives'] === false) return [run('none expected: this client has no agent', 'faint')];
  const own = hasKeepaliveThresholds(client) ? agentThresholds({ keepalive: client['keepalive'] }) : undefined;
  const { warning, critical }: AgentThresholds = own ?? thresholdsOf(client['keepalive']);
  const tone: Tone = ageSeconds >= (critical ?? Infinity) ? 'critical' : ageSeconds >= warning ? 'warning' : 'ok';
  const last = critical === undefined ? 'never critical' : `critical after ${formatDuration(critical)}`;
  return [run(age, tone), run(`  warning after ${formatDuration(warning)}, ${last}`, 'faint')];
}

function thresholdsOf(keepalive: unknown): { readonly warning: number; readonly critical: number } {
  const own = attributeOf(keepalive, 'thresholds');
  const numberOf = (name: 'warning' | 'critical'): number => {
    const value = attributeOf(own, name);
    return typeof value === 'number' ? value : KEEPALIVE_THRESHOLDS[name];
  };
  return { warning: numberOf('warning'), critical: numberOf('critical') };
}

function attributeOf(value: unknown, name: string): unknown {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>)[name] : undefined;
}

/** Attributes of a client that the screen already shows elsewhere. */
const SHOWN_ATTRIBUTES = new Set(['name', 'address', 'version', 'subscriptions', 'timestamp']);

/** Returns further attributes of a client that are plain values. The screen with the JSON shows all attributes. */
function attributesText(client: Readonly<Record<string, unknown>>): string {
  const plain = Object.entries(client).filter(
    ([name, value]) => !SHOWN_ATTRIBUTES.has(name) && ['string', 'number', 'boolean'].includes(typeof value),
  );
  return plain.length === 0
    ? 'y shows the full record'
    : plain.map(([name, value]) => `${name}=${String(value)}`).join(' ');
}

function checkDetails(
  { nowMs }: Pick<LiveData, 'nowMs'>,
  { definition, results }: Extract<SubjectData, { kind: 'check' }>,
): readonly Description[] {
  const counts = { label: 'results', rows: [resultCounts(results)] };
  if (definition === undefined) {
    const unknown = 'not scheduled by the backend: clients run it themselves';
    return [{ label: 'schedule', text: unknown }, counts];
  }
  const next = definition.next_run === null ? '' : `, next run in ${nextRunText(definition.next_run, nowMs)}`;
  return [
    { label: 'schedule', text: checkScheduleText(definition) + next },
    { label: 'run by', text: (definition.subscribers ?? []).join(', ') },
    { label: 'command', text: commandText(definition.command ?? '') },
    counts,
  ];
}

function resultCounts(results: Extract<SubjectData, { kind: 'check' }>['results']): readonly Run[] {
  const counts: Record<Severity, number> = { ok: 0, warning: 0, critical: 0, unknown: 0 };
  for (const { status } of results) if (status !== null) counts[severityOf(status)] += 1;
  return countRuns(counts);
}

/** Returns the number of results by severity, such as `✗ 2 crit   ! 1 warn`. A number of zero is faint. */
function countRuns(counts: Readonly<Record<Severity, number>>): readonly Run[] {
  return SEVERITIES_WORST_FIRST.map((severity) => {
    const { symbol, word, tone } = SEVERITY_STYLES[severity];
    const count = counts[severity];
    return run(`${symbol} ${countText(count)} ${word.toLowerCase()}   `, count === 0 ? 'faint' : tone);
  });
}

/** Width of the bar with the share of OK results, and of its trend, in cells. */
const BAR_CELLS = 32;
const TREND_CELLS = 30;

function aggregateDetails(
  { aggregates, state: { size } }: ScreenView & Pick<LiveData, 'aggregates'>,
  name: string,
  { summary, history }: Extract<SubjectData, { kind: 'aggregate' }>,
): readonly Description[] {
  const { results, clients, checks } = summary;
  const entry = aggregates.entryOf(name, summary);
  const mark = aggregateMark(entry);
  const trend = entry.trend.length < 2 ? 'no trend yet' : sparkline(entry.trend, TREND_CELLS, 100);
  const share = [
    run(percentText(entry).padEnd(5), mark.tone),
    ...aggregateBar(entry, BAR_CELLS),
    run(
      entry.threshold === undefined ? '  no threshold' : `  needs ${String(entry.threshold)}%  ${mark.text}`,
      mark.tone,
    ),
  ];
  const silenced = `${SILENCED_SYMBOL} ${countText(results.silenced)} silenced`;
  return [
    { label: 'ok', rows: [share] },
    ...ruleDetails(summary.rules),
    { label: 'results', rows: [countRuns(results)] },
    { label: 'including', text: `${silenced}   ${countText(results.down)} on clients with missed keepalives` },
    { label: 'members', text: `${countOf(clients, 'client')}, ${countOf(checks, 'check')}` },
    historyDetails(entry, history, size) ?? {
      label: 'trend',
      rows: [[run(trend, 'accent'), run('  % OK since this console started', 'faint')]],
    },
  ];
}

/** Number of screen rows of the history of an aggregate, on a short and on a tall screen. */
const HISTORY_ROWS = { short: 4, tall: 7 } as const;

const HOUR_MS = 3_600_000;

/** Width of the labels left of the history, and of the cell at its right end. */
const HISTORY_MARGIN = 13;

/**
 * Returns the plot of the percentage of OK results over the last 24 hours, with the threshold as a line; `undefined` if
 * no history is known.
 */
function historyDetails(
  { threshold }: AggregateEntry,
  history: AggregateHistory | undefined,
  { columns, rows }: ScreenSize,
): Description | undefined {
  const { since, until, over_time: overTime } = history?.report ?? { since: 0, until: 0 };
  const points = (overTime?.ok ?? []).flatMap((ok, index) => {
    const total = overTime?.total[index] ?? null;
    if (ok === null || total === null || total === 0) return [];
    return [{ at: Math.min(until, since + (index + 1) * (overTime?.period ?? 0) * 1000), value: (100 * ok) / total }];
  });
  if (points.length === 0) return undefined;
  const need =
    threshold === undefined
      ? []
      : [{ value: threshold, label: `needs ${String(threshold)} %`, tone: 'warning' as const }];
  const plot: Plot = {
    series: [{ points }],
    // A short history fills the plot, but with at least an hour.
    since: Math.max(since, Math.min(until - HOUR_MS, points[0]?.at ?? since)),
    until,
    thresholds: need,
    range: { max: 100 },
    valueText: (value, step) => `${value.toFixed(step < 1 ? 1 : 0)} %`,
  };
  const height = rows >= TALL_ROWS ? HISTORY_ROWS.tall : HISTORY_ROWS.short;
  return { label: '% ok', rows: plotLines(plot, { width: columns - HISTORY_MARGIN, height }) };
}

/** Maximum number of aggregate rules that are listed. If there are more, a line says how many. */
const RULES_MAX = 4;

/** Returns the status of each rule that the backend applies to the aggregate, with the value and the threshold. */
function ruleDetails(rules: readonly AggregateRuleVerdict[] = []): readonly Description[] {
  if (rules.length === 0) return [];
  const name = Math.max(...rules.slice(0, RULES_MAX).map(({ check }) => cellWidth(safeLine(check))));
  const rows = rules.slice(0, RULES_MAX).map(({ check, status, text }) => {
    const { symbol, word, tone } = SEVERITY_STYLES[severityOf(status)];
    return [run(`${symbol} ${word.padEnd(4)}  `, tone), run(`${fitToWidth(safeLine(check), name)}  ${safeLine(text)}`)];
  });
  const moreCount = rules.length - RULES_MAX;
  return [
    {
      label: 'rules',
      rows: moreCount > 0 ? [...rows, [run(`and ${countOf(moreCount, 'more rule')}`, 'faint')]] : rows,
    },
  ];
}

function resultDetails({ nowMs }: Pick<LiveData, 'nowMs'>, { check }: StoredResult): readonly Description[] {
  const { symbol, word, tone } = SEVERITY_STYLES[severityOf(check.status)];
  const history = check['history'];
  const statuses = Array.isArray(history) ? history.map(Number) : [];
  const age = run(`  ${formatDuration(nowMs / 1000 - check.executed)} ago`);
  return [
    { label: 'status', rows: [[run(`${symbol} ${word}`, tone), age]] },
    { label: 'history', rows: [historyRuns(statuses)] },
  ];
}
