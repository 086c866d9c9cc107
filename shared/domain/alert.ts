import type { AlertSettings, LabelSet, PostedAlert } from '../schemas/alert.ts';
import type { SubmittedResult } from '../schemas/result.ts';
import { clientLabelOf, cutText, LABEL_VALUE_MAX, usualClientLabel } from './alert-labels.ts';
import { FAMILY_SIGN } from './check-family.ts';
import { fingerprintOf } from './fingerprint.ts';

/** Where an alert is: its client and check. */
export interface AlertPlace {
  readonly client: string;
  readonly check: string;
}

/** What labels make, exactly or less so. */
interface NamedBy {
  readonly name: string;
  /** Whether the name says all that the label does. */
  readonly isExact: boolean;
}

/** Room for the parts behind it. */
const NAME_PART_MAX = 180;
const SEVERITY_PART_MAX = 40;

/** Longer annotations are cut, rather than the alert refused. */
const ANNOTATION_LENGTH_MAX = 64 * 1024;
const URL_LENGTH_MAX = 8192;

/** Critical: while an alert that always fires is missing, other alerts may be missing too. */
const WATCHDOG_STATUS = 2;

/**
 * The client and check of an alert, from its labels alone (prometheus 1.2).
 *
 * @returns undefined: no label names the check
 */
export function alertPlace(labels: LabelSet, settings: AlertSettings): AlertPlace | undefined {
  const check = namedBy(valueOf(labels, settings.check), NAME_PART_MAX, FALLBACK_CHECK);
  if (check.name === '') return undefined;
  const clientLabel = clientLabelOf(labels, settings);
  const client = clientNamedBy(labels, clientLabel);
  const severity = namedBy(valueOf(labels, settings.severity), SEVERITY_PART_MAX, FALLBACK_SEVERITY);
  const shown = new Set(settings.ignore);
  if (check.isExact) shown.add(settings.check);
  if (severity.isExact) shown.add(settings.severity);
  // Another label, and the name that stands for none, could mean the same client.
  const isUsual = clientLabel === usualClientLabel(settings) && client.name !== settings['default-client'];
  if (isUsual && client.isExact) shown.add(clientLabel);
  const rest = Object.fromEntries(Object.entries(labels).filter(([name, value]) => value !== '' && !shown.has(name)));
  return {
    client: client.name || settings['default-client'],
    check: [
      check.name,
      ...(severity.name === '' ? [] : [severity.name]),
      ...(Object.keys(rest).length === 0 ? [] : [shortOf(fingerprintOf(rest))]),
    ].join(FAMILY_SIGN),
  };
}

/** The status of an alert that fires (prometheus 1.3). */
function alertStatus(labels: LabelSet, settings: AlertSettings): number {
  const severity = valueOf(labels, settings.severity).toLowerCase();
  if (severity === '') return 2;
  return Object.hasOwn(settings.statuses, severity) ? (settings.statuses[severity] ?? 3) : 3;
}

/**
 * The result that an alert is (prometheus 1.3 to 1.5).
 *
 * @param nowMs epoch milliseconds
 */
export function alertResult(
  alert: PostedAlert,
  { client, check }: AlertPlace,
  settings: AlertSettings,
  nowMs: number,
): SubmittedResult {
  const labels = cutValues(withoutEmpty(alert.labels), LABEL_VALUE_MAX);
  const annotations = cutValues(withoutEmpty(alert.annotations ?? {}), ANNOTATION_LENGTH_MAX);
  const endsAtMs = alert.endsAt ?? nowMs + settings['resolve-timeout'] * 1000;
  const isOver = endsAtMs <= nowMs;
  const watchdogSeconds = watchdogSecondsOf(labels, settings);
  const outcome =
    watchdogSeconds === undefined
      ? {
          status: isOver ? 0 : alertStatus(labels, settings),
          output: outputOf(labels, annotations, settings),
          // To the next second: it must not be over before it could be sent again.
          ...(isOver ? {} : { ttl: Math.ceil((endsAtMs - nowMs) / 1000), ttl_resolves: true }),
        }
      : watchdogOutcome(watchdogSeconds, isOver, outputOf(labels, annotations, settings));
  return {
    name: check,
    source: client,
    ...outcome,
    ...(settings.handlers.length > 0 && { handlers: [...settings.handlers] }),
    metadata: { labels, annotations },
    alert: {
      fingerprint: fingerprintOf(labels),
      starts_at: Math.floor((alert.startsAt ?? nowMs) / 1000),
      // A part of an address leads nowhere.
      ...(alert.generatorURL && alert.generatorURL.length <= URL_LENGTH_MAX && { generator_url: alert.generatorURL }),
    },
  };
}

/** Seconds after which an alert that always fires is missing (prometheus 1.7); undefined: it is an ordinary alert. */
function watchdogSecondsOf(labels: LabelSet, { check, watchdogs }: AlertSettings): number | undefined {
  const name = valueOf(labels, check);
  return Object.hasOwn(watchdogs, name) ? watchdogs[name] : undefined;
}

/** The result of an alert that always fires: it says that its sender works, and its end says the opposite. */
function watchdogOutcome(
  seconds: number,
  isOver: boolean,
  output: string,
): { readonly status: number; readonly output: string; readonly ttl?: number; readonly ttl_status?: number } {
  return isOver
    ? { status: WATCHDOG_STATUS, output: `Ended by its sender: ${output}` }
    : { status: 0, output, ttl: seconds, ttl_status: WATCHDOG_STATUS };
}

/** The annotations that say what it is about, else its name; with the texts that its names in here do not show. */
function outputOf(labels: LabelSet, annotations: LabelSet, settings: AlertSettings): string {
  const name = valueOf(labels, settings.check);
  const client = valueOf(labels, clientLabelOf(labels, settings) ?? '');
  const said = ['summary', 'description', 'message'].flatMap((key) => valueOf(annotations, key).trim() || []);
  const text = said.length === 0 ? name : [...new Set(said)].join('\n');
  const lost = [name, client].filter((value) => isLossy(value) && !text.includes(value));
  return lost.length === 0 ? text : `${lost.join(' ')}: ${text}`;
}

function cutValues(labels: LabelSet, lengthMax: number): LabelSet {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, cutText(value, lengthMax)]));
}

function withoutEmpty(labels: LabelSet): LabelSet {
  return Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== ''));
}

function valueOf(labels: LabelSet, name: string): string {
  return Object.hasOwn(labels, name) ? (labels[name] ?? '') : '';
}

/** `https://web-1:9100/metrics` is about `web-1`, but the name does not say all of it. */
function clientNamedBy(labels: LabelSet, label: string | undefined): NamedBy {
  const value = label === undefined ? '' : valueOf(labels, label);
  const host = value.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '').replace(/^(\[[^\]]*\]|[^:/?#]*):\d{1,5}(?=[/?#]|$)/, '$1');
  const { name, isExact } = namedBy(host, NAME_PART_MAX, FALLBACK_CLIENT);
  return { name: name.replace(FAMILY_SIGN, '-'), isExact: isExact && host === value };
}

/** Begin names of which no letter or digit would be left. */
const FALLBACK_CHECK = 'alert';
const FALLBACK_SEVERITY = 'severity';
const FALLBACK_CLIENT = 'instance';

/**
 * Of other characters than those of names a hyphen is left; two dots part what stands behind the name. Where more than
 * punctuation is lost, digits that stand for the whole text follow: `磁盘-1` and `网络-1` have two names.
 */
function namedBy(value: string, lengthMax: number, fallback: string): NamedBy {
  const plain = value.replaceAll(/[^\w.-]+/g, '-').replaceAll(/\.{2,}/g, '.');
  const whole = trimmed(plain);
  const name = trimmed(whole.slice(0, lengthMax));
  if (!isLossy(value) && whole.length <= lengthMax) return { name, isExact: name === value };
  return { name: [name || fallback, shortOf(fingerprintOf({ value }))].join(FAMILY_SIGN), isExact: false };
}

/** Whether the name of a text says less than the text does, but for punctuation. */
function isLossy(value: string): boolean {
  return /\P{ASCII}/u.test(value) || (value !== '' && !/\w/.test(value));
}

/** Without dots and hyphens at both ends; in one pass, whatever somebody sends. */
function trimmed(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isEdge(text[start])) start++;
  while (end > start && isEdge(text[end - 1])) end--;
  return text.slice(start, end);
}

function isEdge(sign: string | undefined): boolean {
  return sign === '.' || sign === '-';
}

/** Half of a fingerprint, with the other half folded into it. */
function shortOf(fingerprint: string): string {
  const folded = Number.parseInt(fingerprint.slice(0, 8), 16) ^ Number.parseInt(fingerprint.slice(8), 16);
  return (folded >>> 0).toString(16).padStart(8, '0');
}
