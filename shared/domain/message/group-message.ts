import type { GroupedEvent, GroupRun } from '../../schemas/handler-job.ts';
import { DEFAULT_NAMESPACE } from '../../schemas/namespace.ts';
import { countWithNoun } from '../count-text.ts';
import { formatGroupLabel } from '../notify/group-key.ts';
import { withoutPerformanceData } from '../performance-data.ts';
import { severityOf } from '../severity.ts';
import { clipText, plainLine } from './clip.ts';
import { messageOf, type Message, type MessageOptions } from './message.ts';

/** Maximum length of the line for one event in the message about a group. */
const LINE_MAX = 160;

/** Minimum number of events with the same check and state that are folded into one line. */
const FOLD_MIN = 4;
/** Number of clients that the line of a fold names. */
const CLIENTS_NAMED = 2;
/** Maximum length of the name of a client in the line of a fold. */
const CLIENT_NAME_MAX = 40;

interface GroupMessageSubject extends MessageOptions {
  readonly namespace: string;
  /** The group, with its events redacted if the handler requires it. */
  readonly group: GroupRun;
  /** The output of a mutator, which replaces the list of events in the message. */
  readonly output?: string | undefined;
}

/**
 * Returns the default message about a group of events, without templates (grouping 3). If the group has only one event,
 * the result is the message about that event.
 */
export function groupMessageOf({ group, ...subject }: GroupMessageSubject): Message {
  const { namespace, output = listOf(group) } = subject;
  const { id, events, firing, resolved, severity, omitted } = group;
  const [only, ...others] = events;
  const isSingle = only !== undefined && others.length === 0 && omitted === 0;
  if (isSingle) return { ...messageOf({ ...subject, event: only }), key: id };
  const label = plainLine(formatGroupLabel(Object.entries(group.by)));
  const isOver = firing === 0;
  const isAcknowledged = !isOver && events.every(({ action, silenced }) => action === 'resolve' || silenced);
  const state = isOver ? 'RESOLVED' : severity.toUpperCase();
  const count = countWithNoun(isOver ? resolved : firing, 'event');
  const news = changeSummary(group);
  return {
    kind: isOver ? 'resolved' : isAcknowledged ? 'acknowledged' : 'problem',
    severity: isOver ? 'ok' : severity,
    namespace,
    client: label,
    check: 'group',
    key: id,
    title: `${state} ${count}: ${clipText(label, LINE_MAX)}${news === '' ? '' : ` (${news})`}`,
    output,
    remainingOutput: output,
    links: [],
    facts: factsOf(namespace, group),
    time: undefined,
  };
}

/**
 * Summarizes the changes of a group since its last notification, such as `3 new, 2 resolved`. It is `again` for a
 * repeat, and empty if no event fires.
 */
function changeSummary({ cause, firing, resolved, changed, new: fresh }: GroupRun): string {
  if (cause === 'repeat') return 'again';
  if (firing === 0) return '';
  const counts = [
    [fresh, 'new'],
    [changed, 'changed'],
    [resolved, 'resolved'],
  ] as const;
  return counts.flatMap(([count, word]) => (count === 0 ? [] : `${String(count)} ${word}`)).join(', ');
}

function listOf({ events, omitted }: GroupRun): string {
  const tail = omitted === 0 ? [] : [`and ${countWithNoun(omitted, 'other event')}`];
  return [...foldEvents(events).flatMap(linesOfFold), ...tail].join('\n');
}

/** Collects the events that have the same check, state and change, in the order of the first event of each fold. */
function foldEvents(events: readonly GroupedEvent[]): GroupedEvent[][] {
  const folds = new Map<string, GroupedEvent[]>();
  for (const event of events) {
    const key = JSON.stringify([stateOf(event), event.check.name]);
    const fold = folds.get(key);
    if (fold === undefined) folds.set(key, [event]);
    else fold.push(event);
  }
  return [...folds.values()];
}

/**
 * Returns a line for each event of a fold. If the fold has many events, returns one line that names the first clients,
 * counts the others, and shows the output of the first event.
 */
function linesOfFold(fold: readonly GroupedEvent[]): string[] {
  const [first] = fold;
  if (first === undefined || fold.length < FOLD_MIN) {
    return fold.map((event) => lineOf(event, `${event.client.name}/${event.check.name}`));
  }
  const named = fold.slice(0, CLIENTS_NAMED).map(({ client }) => clipText(client.name, CLIENT_NAME_MAX));
  const others = countWithNoun(fold.length - named.length, 'other');
  return [lineOf(first, `${first.check.name} on ${named.join(', ')} and ${others}`)];
}

function stateOf({ change, action, check }: GroupedEvent): string {
  const state = action === 'resolve' ? 'RESOLVED' : severityOf(check.status).toUpperCase();
  return `${state}${change === 'new' ? ' (new)' : change === 'changed' ? ' (changed)' : ''}`;
}

function lineOf(event: GroupedEvent, subject: string): string {
  const [first = ''] = withoutPerformanceData(event.check.output).split('\n', 1);
  const output = first === '' ? '' : `: ${first}`;
  return clipText(plainLine(`${stateOf(event)} ${subject}${output}`), LINE_MAX);
}

function factsOf(namespace: string, { by, firing, resolved, omitted }: GroupRun): Message['facts'] {
  const facts: (readonly [string, string])[] = [
    ...Object.entries(by),
    ['Firing', String(firing)],
    ...(resolved === 0 ? [] : [['Resolved', String(resolved)] as const]),
    ...(omitted === 0 ? [] : [['Omitted', String(omitted)] as const]),
    ...(namespace === DEFAULT_NAMESPACE ? [] : [['Namespace', namespace] as const]),
  ];
  return facts.map(([name, value]) => [name, plainLine(value)]);
}
