import type { GroupedEvent, GroupRun } from '../../schemas/handler-job.ts';
import { DEFAULT_NAMESPACE } from '../../schemas/namespace.ts';
import { countWithNoun } from '../count-text.ts';
import { formatGroupLabel } from '../notify/group-key.ts';
import { withoutPerformanceData } from '../performance-data.ts';
import { severityOf } from '../severity.ts';
import { clip, plainLine } from './clip.ts';
import { messageOf, type Message } from './message.ts';

/** Maximum length of the line for one event in the message about a group. */
const LINE_MAX = 160;

interface GroupMessageSubject {
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
export function groupMessageOf({ namespace, group, output }: GroupMessageSubject): Message {
  const { id, events, firing, resolved, severity, omitted } = group;
  const [only, ...others] = events;
  const isSingle = only !== undefined && others.length === 0 && omitted === 0;
  if (isSingle) return { ...messageOf({ namespace, event: only, output }), key: id };
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
    title: `${state} ${count}: ${clip(label, LINE_MAX)}${news === '' ? '' : ` (${news})`}`,
    output: output ?? listOf(group),
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
  const tail = omitted === 0 ? [] : [`and ${String(omitted)} more omitted here`];
  return [...events.map(lineOf), ...tail].join('\n');
}

function lineOf({ change, action, client, check }: GroupedEvent): string {
  const state = action === 'resolve' ? 'RESOLVED' : severityOf(check.status).toUpperCase();
  const mark = change === 'new' ? ' (new)' : change === 'changed' ? ' (changed)' : '';
  const [first = ''] = withoutPerformanceData(check.output).split('\n', 1);
  const said = first === '' ? '' : `: ${first}`;
  return clip(plainLine(`${state}${mark} ${client.name}/${check.name}${said}`), LINE_MAX);
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
