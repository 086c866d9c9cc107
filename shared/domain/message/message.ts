import type { HandledEvent } from '../../schemas/handler-job.ts';
import { DEFAULT_NAMESPACE } from '../../schemas/namespace.ts';
import { withoutPerformanceData } from '../performance-data.ts';
import { severityOf, type Severity } from '../severity.ts';
import { runbookLink } from './runbook-link.ts';
import { clip, plainLine, plainText } from './clip.ts';

/** The name of the entry in `Message.facts` that contains the runbook (the link of a check that says what to do). */
export const RUNBOOK_FACT = 'Runbook';

/**
 * A message about an event or a group, before it is converted for a service such as Slack. All texts except `text` are
 * plain text that is not escaped yet.
 */
export interface Message {
  /** `acknowledged`: the problem is silenced, and the handler gets silenced events because it has `handle_silenced`. */
  readonly kind: 'problem' | 'acknowledged' | 'resolved';
  readonly severity: Severity;
  readonly namespace: string;
  readonly client: string;
  readonly check: string;
  /** The key by which a service correlates messages about one group; undefined for an event, see `problemKey`. */
  readonly key?: string;
  /** The title as a single line. */
  readonly title: string;
  /** The output of the check or of a mutator, or the list of grouped events; possibly empty. */
  readonly output: string;
  /** Text from a template, in the markup of the service, with values escaped. */
  readonly text?: string;
  /** Names and values to show with the message, such as client and status, in the order of display. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** The URL of the runbook if it is safe as a link. `facts` contains the runbook even if it is not. */
  readonly runbook?: string;
  /** Time of the event in ISO 8601; undefined for a group, or if the time is out of the range of dates. */
  readonly time: string | undefined;
}

/** The event that a message is about, with its namespace. */
interface EventMessageSubject {
  readonly namespace: string;
  /** The event, redacted if the handler requires it. */
  readonly event: HandledEvent;
  /** The output of a mutator, which replaces the output of the check. */
  readonly output?: string | undefined;
}

/** Returns the default message about an event, without templates. */
export function messageOf({
  namespace,
  event,
  output = withoutPerformanceData(event.check.output),
}: EventMessageSubject): Message {
  const { client, check } = event;
  const severity = severityOf(check.status);
  const kind = kindOf(event);
  const state = kind === 'resolved' && event.action === 'resolve' ? 'RESOLVED' : severity.toUpperCase();
  const text = plainText(output);
  const [first = ''] = text.split('\n', 1);
  const runbook = runbookLink(check);
  const subject = plainLine(`${state} ${client.name}/${check.name}`);
  return {
    kind,
    severity,
    namespace,
    client: plainLine(client.name),
    check: plainLine(check.name),
    title: first === '' ? subject : `${subject}: ${clip(plainLine(first), 200)}`,
    output: text,
    facts: factsOf(namespace, event, severity),
    ...(runbook === undefined ? {} : { runbook }),
    time: isoTime(event.timestamp),
  };
}

function kindOf({ action, check, silenced }: HandledEvent): Message['kind'] {
  // A resolved event is never `acknowledged`, even if it is silenced.
  if (action === 'resolve' || check.status === 0) return 'resolved';
  return silenced ? 'acknowledged' : 'problem';
}

function factsOf(namespace: string, event: HandledEvent, severity: Severity): Message['facts'] {
  const { client, check, occurrences, silenced_by: silencedBy, last_state_change: since } = event;
  const facts: (readonly [string, string | undefined])[] = [
    ['Client', client.name],
    ['Check', check.name],
    ['Status', severity],
    ['Occurrences', String(occurrences)],
    ['Since', isoTime(since)],
    ['Silenced by', silencedBy.join(', ')],
    ['Namespace', namespace === DEFAULT_NAMESPACE ? undefined : namespace],
    [RUNBOOK_FACT, runbookOf(check)],
  ];
  return facts.flatMap(([name, value]) => {
    const text = clip(plainLine(value ?? ''), 500);
    return text === '' ? [] : [[name, text] as const];
  });
}

function runbookOf(check: Readonly<Record<string, unknown>>): string | undefined {
  const { runbook } = check;
  return typeof runbook === 'string' ? runbook : undefined;
}

/**
 * Formats epoch seconds in ISO 8601. Returns undefined if there is no time, or if it is out of the range of dates; a
 * result can contain any number.
 */
function isoTime(seconds: number | null | undefined): string | undefined {
  const date = new Date((seconds ?? Number.NaN) * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/**
 * Returns the key by which a service correlates messages about one problem. For an event it consists of client and
 * check, so that the resolution has the same key as the problem. A key that is too long is cut, and a hash of the whole
 * key is appended.
 *
 * @param most maximum length of a key at the service
 */
export function problemKey({ namespace, client, check, key: own }: Message, most: number): string {
  const key = own ?? (namespace === DEFAULT_NAMESPACE ? `${client}/${check}` : `${namespace}/${client}/${check}`);
  return key.length <= most ? key : `${key.slice(0, most - 17).toWellFormed()}#${fingerprint(key)}`;
}

/** Returns a hash of a text as 16 hexadecimal digits: 8 from the text, and 8 from the reversed text. */
function fingerprint(text: string): string {
  const units = text.split('');
  return `${hash(units)}${hash(units.toReversed())}`;
}

/** Returns the 32-bit FNV-1a hash of UTF-16 units as 8 hexadecimal digits. */
function hash(units: readonly string[]): string {
  let value = 0x811c9dc5;
  for (const unit of units) value = Math.imul(value ^ unit.charCodeAt(0), 0x01000193);
  return (value >>> 0).toString(16).padStart(8, '0');
}
