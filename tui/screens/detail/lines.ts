import { targetText, targetTextOfId } from '../../../shared/domain/silence-name.ts';
import { scheduleText } from '../../words/recurrence-text.ts';
import { commandOf, commandText } from '../../../shared/domain/command-text.ts';
import { formatDuration } from '../../../shared/domain/duration.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import type { Event } from '../../../shared/schemas/event.ts';
import type { SilencedRow } from '../../../shared/schemas/feed.ts';
import { run, type Line } from '../../text/theme.ts';
import { boundedLines, descriptionLines, RowCache, type Description } from '../../text/describe.ts';
import { historyRuns } from '../../model/history-runs.ts';
import type { LiveData } from '../../model/live-data.ts';

/** Width of the labels in front of the parts of an event, in cells. */
export const LABEL_CELLS = 10;

/** The hint below an output or a JSON text that is shortened because it has too many lines. */
export const FULL_EVENT_HINT = 'run monctl event info to see all of them';

/** Returns the lines with history, output, command and client of an event. */
export function eventParts(event: Event, width: number, wraps: boolean): readonly Line[] {
  return partRows.rowsOf(event, `${String(width)} ${String(wraps)}`, () => {
    const command = commandOf(event.check['command']);
    const all: readonly Description[] = [
      { label: 'history', rows: [historyRow(event)] },
      { label: 'output', text: boundedLines(event.check.output, FULL_EVENT_HINT) },
      ...(command === undefined ? [] : [{ label: 'command', text: commandText(command) }]),
      { label: 'client', text: clientText(event) },
    ];
    return descriptionLines(all, { cells: LABEL_CELLS, width, wraps });
  });
}

const partRows = new RowCache<Event>();

/** Returns the last statuses of an event's check, the newest on the right. */
export function historyRow({ check: { interval, history } }: Event): Line {
  const each =
    typeof interval === 'number' ? `every ${formatDuration(interval)}, newest on the right` : 'newest on the right';
  return [...historyRuns(history.map(Number), Infinity), run(`  (${each})`, 'faint')];
}

/** Returns a text about the client of an event: its address, its agent and its subscriptions. */
export function clientText(event: Event): string {
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

/** Returns the silences on an event; the id of a silence that the feed has not sent. */
export function silencesOnEvent(
  store: Pick<LiveData, 'events' | 'silenced'>,
  key: string,
  event: Event,
): readonly (SilencedRow | string)[] {
  const ids = store.events.get(key)?.row.silenced_by ?? event.silenced_by;
  return ids.map((id) => store.silenced.get(id) ?? id);
}

/** Returns the text of a silence on an event: id, creator, remaining time and reason. Safe for a terminal. */
export function silenceText(entry: SilencedRow | string, nowMs: number): string {
  if (typeof entry === 'string') return safeLine(targetTextOfId(entry));
  const { creator, expire_at, expire_on_resolve, reason, recurrence } = entry;
  const left = expire_at === null ? 'never expires' : `${formatDuration(Math.max(0, expire_at - nowMs / 1000))} left`;
  return safeLine(
    `${targetText(entry)}${creator === null ? '' : ` by ${creator}`}, ${left}${expire_on_resolve ? ' or until it resolves' : ''}` +
      (recurrence === undefined ? '' : `, recurs ${scheduleText(recurrence)}`) +
      (reason === null ? '' : `: ${reason}`),
  );
}
