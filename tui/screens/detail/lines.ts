import type { EventExplanation } from '../../../shared/schemas/explain.ts';
import { commandOf, commandText } from '../../../shared/domain/command-text.ts';
import { formatDuration } from '../../../shared/domain/duration.ts';
import { severityOf } from '../../../shared/domain/severity.ts';
import { safeLine, safeText } from '../../../shared/domain/terminal-text.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import type { SilencedRow } from '../../../shared/schemas/feed.ts';
import { keyOf } from '../../state/keys.ts';
import { run, STATUS, type Run } from '../../text/theme.ts';
import type { EventRecord } from '../../model/event-record.ts';
import { handlerRows } from '../handling/lines.ts';
import { cutCells, wrapCells } from '../../text/wrap-cells.ts';
import type { Known } from '../../model/known.ts';
import type { Shown } from '../../state/ports.ts';
import type { DetailLayer } from '../../state/layers/detail.ts';

export type DetailLine = readonly Run[];

/** Cells before the text of each part. */
const LABEL_CELLS = 10;

/** Other events of the client that are named. */
const RELATED_MAX = 8;

/** Most lines of one output or document that are shown; the rest is a number. */
const LINES_MAX = 5000;

/** The part of the detail screen that scrolls. */
export function detailBody(store: Shown & Known, layer: DetailLayer): readonly DetailLine[] {
  const { load } = layer;
  const width = store.state.size.columns - 1;
  switch (load.kind) {
    case 'loading':
      return [[run(' loading …', 'faint')]];
    case 'missing':
      return [[run(' The backend has no such event: it is resolved. Esc goes back.')]];
    case 'failed':
      return [[run(` ${safeLine(load.message)}`, 'critical')], [run(' Enter tries again, Esc goes back.')]];
    case 'loaded':
      return [
        ...eventParts(load.event, width, layer.wrap),
        ...nextRunLines(load.nextRun, store.nowMs),
        ...handlerLines(load.handling, store.nowMs, width),
        ...silenceLines(silencesOn(store, layer.target.key, load.event), store.nowMs, width),
        ...relatedLines(store, layer, width),
        ...(layer.raw ? jsonLines(load.event, width, layer.wrap) : []),
      ];
  }
}

/** History, output and what else the event says about itself. */
export function eventParts(event: Event, width: number, wrap: boolean): readonly DetailLine[] {
  const memo = partsMemo.get(event);
  if (memo?.width === width && memo.wrap === wrap) return memo.lines;
  const lines = [
    historyLine(event),
    ...labelled('output', bounded(safeText(event.check.output.trimEnd()).split('\n')), width, wrap),
    ...commandLines(event, width, wrap),
    ...labelled('client', [clientText(event)], width, wrap),
  ];
  partsMemo.set(event, { width, wrap, lines });
  return lines;
}

// An output may have a megabyte; it is cut into lines once, not once per frame.
const partsMemo = new WeakMap<
  Event,
  { readonly width: number; readonly wrap: boolean; readonly lines: readonly DetailLine[] }
>();
const jsonMemo = new WeakMap<Event, readonly string[]>();

export function historyLine(event: Event): DetailLine {
  const { interval } = event.check;
  const each = typeof interval === 'number' ? `${formatDuration(interval)} each, newest right` : 'newest right';
  return [
    label('history'),
    ...event.check.history.map((status) => {
      const { symbol, tone } = STATUS[severityOf(Number(status))];
      return run(symbol, tone);
    }),
    run(`  (${each})`, 'faint'),
  ];
}

/** Nothing for a check that its agent, or somebody else, runs by itself. */
function nextRunLines(nextRun: number | undefined, nowMs: number): readonly DetailLine[] {
  if (nextRun === undefined) return [];
  const seconds = nextRun - nowMs / 1000;
  return [[label('next run'), run(seconds > 0 ? `in ${formatDuration(seconds)}` : 'now')]];
}

/** What becomes of the event at its handlers; nothing when the backend did not tell. */
function handlerLines(handling: EventExplanation | undefined, nowMs: number, width: number): readonly DetailLine[] {
  if (handling === undefined) return [];
  const [first = [], ...others] = handlerRows(handling, nowMs, width - LABEL_CELLS);
  const lines: DetailLine[] = [[label('handlers'), ...first]];
  for (const row of others) lines.push([label(''), ...row]);
  return [...lines, [label(''), run(`${keyOf('why')} shows why, whole`, 'faint')]];
}

function commandLines(event: Event, width: number, wrap: boolean): readonly DetailLine[] {
  const command = commandOf(event.check['command']);
  return command === undefined ? [] : labelled('command', [safeLine(commandText(command))], width, wrap);
}

function clientText(event: Event): string {
  const { name, address, subscriptions } = event.client;
  const others = subscriptions.filter((subscription) => subscription !== `client:${name}`);
  const at = address === 'unknown' ? '' : ` at ${address}`;
  const tagged = others.length === 0 ? '' : `, subscriptions: ${others.join(', ')}`;
  return safeLine(`${name}${at}, ${agentText(event.client)}${tagged}`);
}

/** A client that gives no sign of life was made by a result with a source, or by somebody. */
function agentText({ type, keepalives, version }: Event['client']): string {
  if (keepalives !== false) return `agent ${version}`;
  return type === 'proxy' ? 'no agent, others report for it' : 'no agent, from the API';
}

function silencesOn(
  store: Pick<Known, 'events' | 'silenced'>,
  key: string,
  event: Event,
): readonly (SilencedRow | string)[] {
  const ids = store.events.get(key)?.row.silenced_by ?? event.silenced_by;
  return ids.map((id) => store.silenced.get(id) ?? id);
}

/** Who silenced it, for how long and why. */
function silenceLines(entries: readonly (SilencedRow | string)[], nowMs: number, width: number): readonly DetailLine[] {
  if (entries.length === 0) return [[label('silence'), run('none', 'faint')]];
  return labelled(
    'silence',
    entries.map((entry) => silenceText(entry, nowMs)),
    width,
    true,
  );
}

export function silenceText(entry: SilencedRow | string, nowMs: number): string {
  if (typeof entry === 'string') return safeLine(entry);
  const { id, creator, expire_at, expire_on_resolve, reason } = entry;
  const left = expire_at === null ? 'no end' : `${formatDuration(Math.max(0, expire_at - nowMs / 1000))} left`;
  return safeLine(
    `${id}${creator === null ? '' : ` by ${creator}`}, ${left}${expire_on_resolve ? ' or until it resolves' : ''}` +
      (reason === null ? '' : `: ${reason}`),
  );
}

function relatedLines(store: Pick<Known, 'events'>, layer: DetailLayer, width: number): readonly DetailLine[] {
  const { client, key } = layer.target;
  const related: EventRecord[] = [];
  for (const record of store.events.records()) {
    if (record.row.client === client && record.key !== key) related.push(record);
  }
  if (related.length === 0) return [[label('related'), run(`no other event on ${safeLine(client)}`, 'faint')]];
  const shown = related.toSorted((a, b) => a.rank - b.rank).slice(0, RELATED_MAX);
  const lines: DetailLine[] = shown.map(({ row }, index) => {
    const { symbol, word, tone } = STATUS[severityOf(row.status)];
    const text = ` ${safeLine(row.check)}  ${safeLine(row.output)}`;
    return [label(index === 0 ? 'related' : ''), run(`${symbol} ${word}`, tone), run(cutCells(text, width - 17))];
  });
  const rest = related.length - shown.length;
  return rest === 0 ? lines : [...lines, [label(''), run(`and ${String(rest)} more`, 'faint')]];
}

function jsonLines(event: Event, width: number, wrap: boolean): readonly DetailLine[] {
  let lines = jsonMemo.get(event);
  if (lines === undefined) {
    lines = bounded(safeText(JSON.stringify(event, undefined, 2)).split('\n'));
    jsonMemo.set(event, lines);
  }
  const title = '─ raw json (y hides it, w wraps) ';
  return [
    [run(title.padEnd(width + 1, '─'), 'faint')],
    ...lines.flatMap((line) => pieces(line, width - 2, wrap)).map((piece) => [run(`  ${piece}`)]),
  ];
}

function labelled(name: string, texts: readonly string[], width: number, wrap: boolean): readonly DetailLine[] {
  return texts
    .flatMap((text) => pieces(text, width - LABEL_CELLS, wrap))
    .map((piece, index) => [label(index === 0 ? name : ''), run(piece)]);
}

function pieces(line: string, width: number, wrap: boolean): readonly string[] {
  return wrap ? wrapCells(line, width) : [cutCells(line, width)];
}

function label(name: string): Run {
  return run(` ${name.padEnd(LABEL_CELLS - 1)}`, 'faint');
}

function bounded(lines: readonly string[]): readonly string[] {
  if (lines.length <= LINES_MAX) return lines;
  return [
    ...lines.slice(0, LINES_MAX),
    `… and ${String(lines.length - LINES_MAX)} more lines: monctl event info has them all`,
  ];
}
