import type { HandledEvent } from '../../schemas/handler-job.ts';
import { DEFAULT_NAMESPACE } from '../../schemas/namespace.ts';
import { withoutPerformanceData } from '../performance-data.ts';
import { severityOf, type Severity } from '../severity.ts';
import { runbookLink } from './runbook-link.ts';
import { clip, plainLine, plainText } from './clip.ts';

/** The name of the fact with the runbook. */
export const RUNBOOK_FACT = 'Runbook';

/** A message about an event, before it is converted for a service. All texts are plain and not escaped yet. */
export interface Message {
  /** Acknowledged: the problem is silenced, and the handler has `handle_silenced`. */
  readonly kind: 'problem' | 'acknowledged' | 'resolved';
  readonly severity: Severity;
  readonly namespace: string;
  readonly client: string;
  readonly check: string;
  /** Key by which a service correlates the messages of a group; default: client and check. */
  readonly key?: string;
  /** A single line. */
  readonly title: string;
  /** Output of the check or of a mutator; may be empty. */
  readonly output: string;
  /** Text from a template, in the markup of the service, with values escaped. */
  readonly text?: string;
  /** Further facts in the order of display. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** The URL of the runbook if it can be a link; it is also among the facts. */
  readonly runbook?: string;
  /** Time of the event in ISO 8601; undefined if a date cannot represent it. */
  readonly time: string | undefined;
}

/** The data of a message about an event. */
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
  // Only a problem can be acknowledged.
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

/** @param seconds since the epoch; a result may contain a time that a date cannot represent */
function isoTime(seconds: number | null | undefined): string | undefined {
  const date = new Date((seconds ?? Number.NaN) * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/**
 * Returns the key by which a service correlates messages about one problem: client and check, so that the resolution
 * always finds it. A name that is too long is cut and made unique by a hash of the whole.
 *
 * @param most maximum number of characters of the service
 */
export function problemKey({ namespace, client, check, key: own }: Message, most: number): string {
  const key = own ?? (namespace === DEFAULT_NAMESPACE ? `${client}/${check}` : `${namespace}/${client}/${check}`);
  return key.length <= most ? key : `${key.slice(0, most - 17).toWellFormed()}#${fingerprint(key)}`;
}

/** Returns 16 hexadecimal digits: hashes of the text forward and backward. */
function fingerprint(text: string): string {
  const units = text.split('');
  return `${hash(units)}${hash(units.toReversed())}`;
}

/** FNV-1a. */
function hash(units: readonly string[]): string {
  let value = 0x811c9dc5;
  for (const unit of units) value = Math.imul(value ^ unit.charCodeAt(0), 0x01000193);
  return (value >>> 0).toString(16).padStart(8, '0');
}
