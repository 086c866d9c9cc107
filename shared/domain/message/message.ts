import type { HandledEvent } from '../../schemas/handler-job.ts';
import { DEFAULT_NAMESPACE } from '../../schemas/namespace.ts';
import { withoutPerformanceData } from '../performance-data.ts';
import { severityOf, type Severity } from '../severity.ts';
import { runbookLink } from './runbook-link.ts';
import { clip, plainLine, plainText } from './clip.ts';

/** The name of the fact that holds the runbook. */
export const RUNBOOK_FACT = 'Runbook';

/** What people are told of an event, before a service makes its own of it. All texts are plain: nothing is escaped yet. */
export interface Message {
  /** Acknowledged: somebody silenced the problem, and the handler has `handle_silenced`. */
  readonly kind: 'problem' | 'acknowledged' | 'resolved';
  readonly severity: Severity;
  readonly namespace: string;
  readonly client: string;
  readonly check: string;
  /** Of a group: by what a service knows that messages are about the same. Absent: client and check. */
  readonly key?: string;
  /** One line. */
  readonly title: string;
  /** What the check said, or what a mutator made of it; may be empty. */
  readonly output: string;
  /** What a template made, in the markup of the service, with its values escaped. */
  readonly text?: string;
  /** What else is to be known, in the order in which it is shown. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** The address of the runbook, where it can be a link; it is among the facts as well. */
  readonly runbook?: string;
  /** ISO 8601, of the event; undefined: no calendar has it. */
  readonly time: string | undefined;
}

/** An event that is to be told. */
interface Told {
  readonly namespace: string;
  /** Without secrets, where it is to go without them. */
  readonly event: HandledEvent;
  /** In place of the output of the check: what a mutator made. */
  readonly output?: string | undefined;
}

/** Returns the message about an event that people get where no template is configured. */
export function messageOf({ namespace, event, output = withoutPerformanceData(event.check.output) }: Told): Message {
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
  // Without a problem there is nothing that somebody could see to.
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

/** @param seconds since the epoch; a result may bring a time that no calendar has */
function isoTime(seconds: number | null | undefined): string | undefined {
  const date = new Date((seconds ?? Number.NaN) * 1000);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
}

/**
 * By what a service knows that several messages are about one problem: the client and the check, so that a resolution is
 * found whatever came between. Too long a name is cut, and told from others by a number made of all of it.
 *
 * @param most characters that the service takes
 */
export function problemKey({ namespace, client, check, key: own }: Message, most: number): string {
  const key = own ?? (namespace === DEFAULT_NAMESPACE ? `${client}/${check}` : `${namespace}/${client}/${check}`);
  return key.length <= most ? key : `${key.slice(0, most - 17).toWellFormed()}#${fingerprint(key)}`;
}

/** 16 hexadecimal digits of all of a text, read forwards and backwards. */
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
