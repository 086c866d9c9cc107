import { scheduleText } from '../../words/recurrence-text.ts';
import type { EventExplanation } from '../../../shared/schemas/explain.ts';
import { commandOf, commandText } from '../../../shared/domain/command-text.ts';
import { formatDuration } from '../../../shared/domain/duration.ts';
import { severityOf } from '../../../shared/domain/severity.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import type { SilencedRow } from '../../../shared/schemas/feed.ts';
import { keyOf } from '../../state/keys.ts';
import { run, STATUS, type Line } from '../../text/theme.ts';
import type { EventRecord } from '../../model/event-record.ts';
import { handlerRows } from '../handling/lines.ts';
import { boundedLines, describe, RowCache, textRows, type Described } from '../../text/describe.ts';
import { cutCells } from '../../text/wrap-cells.ts';
import { historyRuns } from '../../model/history-runs.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { ScreenView } from '../../state/ports.ts';
import type { DetailLayer } from '../../state/layers/detail.ts';

/** Width of the labels on the detail screen, in cells. */
const LABELS = { cells: 10 };

/** Maximum number of other events of the same client that are listed. */
const RELATED_MAX = 8;

/** The hint below an output or a JSON text that is shortened because it has too many lines. */
const FULL_EVENT_HINT = 'run monctl event info to see all of them';

/** Returns the lines of an event's screen that scroll: all lines below its head. */
export function detailBody(store: ScreenView & LiveData, layer: DetailLayer): readonly Line[] {
  const { load } = layer;
  const width = store.state.size.columns - 1;
  switch (load.kind) {
    case 'loading':
      return [[run(' loading …', 'faint')]];
    case 'missing':
      return [[run(' This event no longer exists: it has resolved. Esc goes back.')]];
    case 'failed':
      return [[run(` ${safeLine(load.message)}`, 'critical')], [run(' Press Enter to try again or Esc to go back.')]];
    case 'loaded':
      return [
        ...eventParts(load.event, width, layer.wrap),
        ...describe(
          [
            ...nextRun(load.nextRun, store.nowMs),
            ...handlers(load.handling, store.nowMs, width - LABELS.cells),
            ...inhibitor(store, layer.target.key),
            silences(silencesOn(store, layer.target.key, load.event), store.nowMs),
            related(store, layer, width),
          ],
          { ...LABELS, width },
        ),
        ...(layer.raw ? jsonRows(load.event, width, layer.wrap) : []),
      ];
  }
}

/** Returns the lines with history, output, command and client of an event. */
export function eventParts(event: Event, width: number, wraps: boolean): readonly Line[] {
  return partRows.of(event, `${String(width)} ${String(wraps)}`, () => {
    const command = commandOf(event.check['command']);
    const all: readonly Described[] = [
      { label: 'history', rows: [historyRow(event)] },
      { label: 'output', text: boundedLines(event.check.output, FULL_EVENT_HINT) },
      ...(command === undefined ? [] : [{ label: 'command', text: commandText(command) }]),
      { label: 'client', text: clientText(event) },
    ];
    return describe(all, { ...LABELS, width, wraps });
  });
}

const partRows = new RowCache<Event>();
const jsonParts = new RowCache<Event>();

function historyRow({ check: { interval, history } }: Event): Line {
  const each =
    typeof interval === 'number' ? `every ${formatDuration(interval)}, newest on the right` : 'newest on the right';
  return [...historyRuns(history.map(Number), Infinity), run(`  (${each})`, 'faint')];
}

/** Returns the line about the next run; empty if the backend does not schedule the check. */
function nextRun(atSeconds: number | undefined, nowMs: number): readonly Described[] {
  if (atSeconds === undefined) return [];
  const seconds = atSeconds - nowMs / 1000;
  return [{ label: 'next run', text: seconds > 0 ? `in ${formatDuration(seconds)}` : 'now' }];
}

/** Returns the lines about how each handler handles the event; empty if the backend has not reported it. */
function handlers(handling: EventExplanation | undefined, nowMs: number, width: number): readonly Described[] {
  if (handling === undefined) return [];
  const hint = [run(`press ${keyOf('explain')} for the full explanation`, 'faint')];
  return [{ label: 'handlers', rows: [...handlerRows(handling, nowMs, width), hint] }];
}

function clientText(event: Event): string {
  const { name, address, subscriptions } = event.client;
  const others = subscriptions.filter((subscription) => subscription !== `client:${name}`);
  const at = address === 'unknown' ? '' : ` at ${address}`;
  const tagged = others.length === 0 ? '' : `, subscriptions: ${others.join(', ')}`;
  return `${name}${at}, ${agentText(event.client)}${tagged}`;
}

/**
 * Returns a text about the agent of the client. A client without keepalives has no agent: it was created by a result
 * with a `source`, or through the API.
 */
function agentText({ type, keepalives, version }: Event['client']): string {
  if (keepalives !== false) return `agent ${version}`;
  return type === 'proxy' ? 'proxy client, no agent' : 'created by the API, no agent';
}

function silencesOn(
  store: Pick<LiveData, 'events' | 'silenced'>,
  key: string,
  event: Event,
): readonly (SilencedRow | string)[] {
  const ids = store.events.get(key)?.row.silenced_by ?? event.silenced_by;
  return ids.map((id) => store.silenced.get(id) ?? id);
}

/**
 * Returns the line with the inhibition rule that inhibits the event, and the event that activates the rule; empty if
 * the event is not inhibited.
 */
function inhibitor({ events }: Pick<LiveData, 'events'>, key: string): readonly Described[] {
  const by = events.get(key)?.row.inhibited_by;
  if (by === undefined) return [];
  return [{ label: 'cause', text: safeLine(`inhibited by ${by.rule}: ${by.client}/${by.check} is failing`) }];
}

/** Returns the lines about the silences on the event: id, creator, remaining time and reason. */
function silences(entries: readonly (SilencedRow | string)[], nowMs: number): Described {
  if (entries.length === 0) return { label: 'silence', text: 'none', tone: 'faint' };
  return { label: 'silence', text: entries.map((entry) => silenceText(entry, nowMs)) };
}

export function silenceText(entry: SilencedRow | string, nowMs: number): string {
  if (typeof entry === 'string') return safeLine(entry);
  const { id, creator, expire_at, expire_on_resolve, reason, recurrence } = entry;
  const left = expire_at === null ? 'never expires' : `${formatDuration(Math.max(0, expire_at - nowMs / 1000))} left`;
  return safeLine(
    `${id}${creator === null ? '' : ` by ${creator}`}, ${left}${expire_on_resolve ? ' or until it resolves' : ''}` +
      (recurrence === undefined ? '' : `, recurs ${scheduleText(recurrence)}`) +
      (reason === null ? '' : `: ${reason}`),
  );
}

function related(store: Pick<LiveData, 'events'>, layer: DetailLayer, width: number): Described {
  const { client, key } = layer.target;
  const others: EventRecord[] = [];
  for (const record of store.events.records()) {
    if (record.row.client === client && record.key !== key) others.push(record);
  }
  if (others.length === 0) return { label: 'related', text: `no other event on ${client}`, tone: 'faint' };
  const shown = others.toSorted((a, b) => a.rank - b.rank).slice(0, RELATED_MAX);
  const rows: readonly Line[] = shown.map(({ row }) => {
    const { symbol, word, tone } = STATUS[severityOf(row.status)];
    const text = ` ${safeLine(row.check)}  ${safeLine(row.output)}`;
    return [run(`${symbol} ${word}`, tone), run(cutCells(text, width - 17))];
  });
  const moreCount = others.length - shown.length;
  return {
    label: 'related',
    rows: moreCount === 0 ? rows : [...rows, [run(`and ${String(moreCount)} more`, 'faint')]],
  };
}

function jsonRows(event: Event, width: number, wraps: boolean): readonly Line[] {
  const title = '─ raw json (y hides it, w wraps) ';
  const rows = jsonParts.of(event, `${String(width)} ${String(wraps)}`, () =>
    textRows(boundedLines(JSON.stringify(event, undefined, 2), FULL_EVENT_HINT), { width, indent: 2, wraps }),
  );
  return [[run(title.padEnd(width + 1, '─'), 'faint')], ...rows];
}
