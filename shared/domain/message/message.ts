import type { ShownAcknowledgement } from '../../schemas/acknowledgement.ts';
import type { HandledEvent } from '../../schemas/handler-job.ts';
import { DEFAULT_NAMESPACE } from '../../schemas/namespace.ts';
import type { MessageButtons } from '../chat/button.ts';
import { durationInWords } from '../duration.ts';
import { computeGroupKey } from '../notify/group-key.ts';
import { withoutPerformanceData } from '../performance-data.ts';
import { severityOf, type Severity } from '../severity.ts';
import { dateTimeText } from '../time-text.ts';
import { clipText, plainLine, plainText } from './clip.ts';
import { eventUrlBelow, openCommand } from './event-link.ts';
import { runbookLink } from './runbook-link.ts';

/** A link that is shown with a message. Its URL is safe to insert into the markup of every service. */
export interface MessageLink {
  readonly text: string;
  readonly href: string;
}

/**
 * A message about an event or a group, before it is converted for a service such as Slack. All texts except `text` are
 * plain text that is not escaped yet.
 */
export interface Message {
  /**
   * `acknowledged`: an operator has acknowledged the problem. Or the problem is silenced, and the handler gets silenced
   * events because it has `handle_silenced`.
   */
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
  /** The part of `output` that the title does not show; empty if the title shows all of it. */
  readonly remainingOutput: string;
  /** Text from a template, in the markup of the service, with values escaped. */
  readonly text?: string;
  /** Names and values to show with the message, such as the status, in the order of display. */
  readonly facts: readonly (readonly [name: string, value: string])[];
  /** The URL of the event in the API of mon, if the setting `public-url` is set; undefined for a resolved event. */
  readonly eventUrl?: string | undefined;
  /** The links to show: the event and the runbook. */
  readonly links: readonly MessageLink[];
  /** The command that shows the event; undefined for a group and for a resolved event. */
  readonly command?: string | undefined;
  /** Time of the event in ISO 8601; undefined for a group, or if the time is out of the range of dates. */
  readonly time: string | undefined;
  /** The line that says what the click on a button has changed, if the message replaces the one with the button. */
  readonly note?: string | undefined;
  /** The buttons of the message, for services that support them. */
  readonly buttons?: MessageButtons | undefined;
}

/** The circumstances of a message besides its event. */
export interface MessageOptions {
  /** Attributes of client and check that the message shows; see the handler attribute `details`. */
  readonly details?: readonly string[] | undefined;
  /** The setting `public-url`: the base URL of links to events; undefined: messages have no such links. */
  readonly publicUrl?: string | undefined;
  /** The current time in epoch milliseconds. */
  readonly nowMs: number;
}

/** The event that a message is about, with its namespace. */
interface EventMessageSubject extends MessageOptions {
  readonly namespace: string;
  /** The event, redacted if the handler requires it. */
  readonly event: HandledEvent;
  /** The output of a mutator, which replaces the output of the check. */
  readonly output?: string | undefined;
}

/** Maximum length of the part of the output in a title. */
const TITLE_OUTPUT_MAX = 200;

/** Returns the default message about an event, without templates. */
export function messageOf(subject: EventMessageSubject): Message {
  const { namespace, event, output = withoutPerformanceData(event.check.output), publicUrl } = subject;
  const { client, check } = event;
  const kind = kindOf(event);
  const text = plainText(output);
  const name = { namespace, client: plainLine(client.name), check: plainLine(check.name) };
  const isOpen = kind !== 'resolved';
  const runbook = runbookLink(check);
  const eventUrl = isOpen && publicUrl !== undefined ? eventUrlBelow(publicUrl, name) : undefined;
  return {
    kind,
    severity: severityOf(check.status),
    ...name,
    ...titleOf(event, kind, text),
    output: text,
    facts: factsOf(subject),
    eventUrl,
    links: [
      ...(eventUrl === undefined ? [] : [{ text: 'Event', href: eventUrl }]),
      ...(runbook === undefined ? [] : [{ text: RUNBOOK, href: runbook }]),
    ],
    ...(isOpen && { command: openCommand(name, publicUrl) }),
    time: isoTime(event.timestamp),
  };
}

/** Returns the title of a message, and the part of the output that the title does not show. */
function titleOf(
  event: HandledEvent,
  kind: Message['kind'],
  output: string,
): Pick<Message, 'title' | 'remainingOutput'> {
  const { client, check, acknowledged } = event;
  const name = `${client.name}/${check.name}`;
  if (event.acknowledgement_started === true && acknowledged !== undefined && kind === 'acknowledged') {
    const { by, note } = acknowledged;
    const title = `ACKNOWLEDGED ${name} by ${by}${note === undefined ? '' : `: ${clipText(note, TITLE_OUTPUT_MAX)}`}`;
    return { title: plainLine(title), remainingOutput: '' };
  }
  const state = kind === 'resolved' && event.action === 'resolve' ? 'RESOLVED' : severityOf(check.status).toUpperCase();
  const subject = plainLine(`${state} ${name}`);
  const [first = '', ...others] = output.split('\n');
  const line = plainLine(first);
  if (line === '') return { title: subject, remainingOutput: output };
  return {
    title: `${subject}: ${clipText(line, TITLE_OUTPUT_MAX)}`,
    remainingOutput: line.length > TITLE_OUTPUT_MAX ? output : others.join('\n'),
  };
}

function kindOf({ action, check, silenced, acknowledgement_started: isStarted }: HandledEvent): Message['kind'] {
  // A resolved event is never `acknowledged`, even if it is silenced.
  if (action === 'resolve' || check.status === 0) return 'resolved';
  return silenced || isStarted === true ? 'acknowledged' : 'problem';
}

/** The name of the link, or of the fact if it is not safe as a link, with the attribute `runbook` of a check. */
const RUNBOOK = 'Runbook';

function factsOf({ namespace, event, details = [], nowMs }: EventMessageSubject): Message['facts'] {
  const { check, occurrences, silenced_by: silencedBy, last_state_change: since } = event;
  const [[, subscription] = ['', ''], ...attributes] = computeGroupKey(['subscription', ...details], event).by;
  const facts: (readonly [string, string | undefined])[] = [
    ['Status', statusText(check)],
    ['Since', kindOf(event) === 'resolved' ? undefined : sinceText(since, nowMs)],
    ['Occurrences', String(occurrences)],
    ['Subscription', subscription.replaceAll(',', ', ')],
    ...attributes,
    ['Acknowledged', acknowledgementText(event)],
    ['Escalation', escalationText(event)],
    ['Silenced by', silencedBy.join(', ')],
    ['Namespace', namespace === DEFAULT_NAMESPACE ? undefined : namespace],
    [RUNBOOK, runbookLink(check) === undefined ? runbookOf(check) : undefined],
  ];
  return facts.flatMap(([name, value]) => {
    const text = clipText(plainLine(value ?? ''), 500);
    return text === '' ? [] : [[name, text] as const];
  });
}

/** Returns the status of a check in words, and the last other status in its history: `critical (before: warning)`. */
function statusText({ status, history }: HandledEvent['check']): string {
  const severity = severityOf(status);
  const before = history.map((text) => severityOf(Number(text))).findLast((other) => other !== severity);
  return before === undefined ? severity : `${severity} (before: ${before})`;
}

/** Formats a time as `22 minutes ago (2026-01-01 00:00:00Z)`; undefined if there is none, or it is out of range. */
function sinceText(seconds: number | null | undefined, nowMs: number): string | undefined {
  if (isoTime(seconds) === undefined || typeof seconds !== 'number') return undefined;
  const age = nowMs / 1000 - seconds;
  return `${age < 1 ? 'just now' : `${durationInWords(age)} ago`} (${dateTimeText(seconds * 1000, 'UTC')})`;
}

/** Describes the acknowledgement of an event, or the reason why it has just ended. */
function acknowledgementText(event: HandledEvent): string | undefined {
  if (event.acknowledged !== undefined) return ownerText(event.acknowledged);
  if (event.acknowledgement_expired === true) return 'no longer: the acknowledgement has expired';
  return event.acknowledgement_ended === true ? 'no longer: the status got worse' : undefined;
}

/** Names the escalation that notifies the handler, and its step. */
function escalationText({ escalation }: HandledEvent): string | undefined {
  if (escalation === undefined) return undefined;
  const { handler, step, of } = escalation;
  return `${handler}, step ${String(step)} of ${String(of)}`;
}

function ownerText({ by, until, note }: ShownAcknowledgement): string {
  const deadline = until === undefined ? '' : ` until ${dateTimeText(until * 1000, 'UTC')}`;
  return `by ${by}${deadline}${note === undefined ? '' : ` (${note})`}`;
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
 * Returns all names and values of a message for services that store them as fields: client and check, the facts, the
 * links and the command.
 */
export function fieldsOf({ key, client, check, facts, links, command }: Message): Readonly<Record<string, string>> {
  return Object.fromEntries([
    ...(key === undefined
      ? [['Client', clipText(client, 500)] as const, ['Check', clipText(check, 500)] as const]
      : []),
    ...facts,
    ...links.map(({ text, href }) => [text, href] as const),
    ...(command === undefined ? [] : [['Command', command] as const]),
  ]);
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
  return key.length <= most ? key : `${key.slice(0, most - 17).toWellFormed()}#${textFingerprint(key)}`;
}

/** Returns a hash of a text as 16 hexadecimal digits: 8 from the text, and 8 from the reversed text. */
function textFingerprint(text: string): string {
  const units = text.split('');
  return `${hashUnits(units)}${hashUnits(units.toReversed())}`;
}

/** Returns the 32-bit FNV-1a hash of UTF-16 units as 8 hexadecimal digits. */
function hashUnits(units: readonly string[]): string {
  let value = 0x811c9dc5;
  for (const unit of units) value = Math.imul(value ^ unit.charCodeAt(0), 0x01000193);
  return (value >>> 0).toString(16).padStart(8, '0');
}
