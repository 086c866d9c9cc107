import type { AlertSettings, LabelSet, PostedAlert } from '../schemas/alert.ts';
import type { SubmittedResult } from '../schemas/result.ts';
import { clientLabelOf, cutText, LABEL_VALUE_MAX, defaultClientLabel } from './alert-labels.ts';
import { FAMILY_SIGN } from './check-family.ts';
import { fingerprintOf } from './fingerprint.ts';

/** The client and check that an alert belongs to. */
export interface AlertKey {
  readonly client: string;
  readonly check: string;
}

/** A valid name derived from the value of a label. */
interface DerivedName {
  readonly name: string;
  /** Whether the name is equal to the value of the label. */
  readonly isExact: boolean;
}

/** Maximum lengths of the first parts of a check or client name. They leave room for the parts that follow. */
const NAME_PART_MAX = 180;
const SEVERITY_PART_MAX = 40;

/** Maximum length of an annotation. A longer one is cut; the alert is not rejected. */
const ANNOTATION_LENGTH_MAX = 64 * 1024;
const URL_LENGTH_MAX = 8192;

/** Status if an always-firing alert is missing. It is critical, because other alerts are probably missing too. */
const WATCHDOG_STATUS = 2;

/**
 * Returns the client and check of an alert, from its labels alone (prometheus 1.2).
 *
 * @returns undefined if no label names the check
 */
export function alertKey(labels: LabelSet, settings: AlertSettings): AlertKey | undefined {
  const check = toValidName(valueOf(labels, settings.check), NAME_PART_MAX, FALLBACK_CHECK);
  if (check.name === '') return undefined;
  const clientLabel = clientLabelOf(labels, settings);
  const client = deriveClientName(labels, clientLabel);
  const severity = toValidName(valueOf(labels, settings.severity), SEVERITY_PART_MAX, FALLBACK_SEVERITY);
  const shown = new Set(settings.ignore);
  if (check.isExact) shown.add(settings.check);
  if (severity.isExact) shown.add(settings.severity);
  // The client label is omitted from the fingerprint only if no other label and no default could yield the same client
  // name.
  const isUsual = clientLabel === defaultClientLabel(settings) && client.name !== settings['default-client'];
  if (isUsual && client.isExact) shown.add(clientLabel);
  const remainingLabels = Object.fromEntries(
    Object.entries(labels).filter(([name, value]) => value !== '' && !shown.has(name)),
  );
  return {
    client: client.name || settings['default-client'],
    check: [
      check.name,
      ...(severity.name === '' ? [] : [severity.name]),
      ...(Object.keys(remainingLabels).length === 0 ? [] : [shortOf(fingerprintOf(remainingLabels))]),
    ].join(FAMILY_SIGN),
  };
}

/** Returns the status of a firing alert (prometheus 1.3). */
function alertStatus(labels: LabelSet, settings: AlertSettings): number {
  const severity = valueOf(labels, settings.severity).toLowerCase();
  if (severity === '') return 2;
  return Object.hasOwn(settings.statuses, severity) ? (settings.statuses[severity] ?? 3) : 3;
}

/**
 * Converts an alert to a result (prometheus 1.3 to 1.5).
 *
 * @param nowMs current time in epoch milliseconds
 */
export function alertResult(
  alert: PostedAlert,
  { client, check }: AlertKey,
  settings: AlertSettings,
  nowMs: number,
): SubmittedResult {
  const labels = cutValues(removeEmptyLabels(alert.labels), LABEL_VALUE_MAX);
  const annotations = cutValues(removeEmptyLabels(alert.annotations ?? {}), ANNOTATION_LENGTH_MAX);
  const endsAtMs = alert.endsAt ?? nowMs + settings['resolve-timeout'] * 1000;
  const isOver = endsAtMs <= nowMs;
  const watchdogSeconds = watchdogSecondsOf(labels, settings);
  const outcome =
    watchdogSeconds === undefined
      ? {
          status: isOver ? 0 : alertStatus(labels, settings),
          output: outputOf(labels, annotations, settings),
          // Rounded up, so that the alert does not expire before its sender could repeat it.
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
      // A URL that was cut would be useless, so a URL that is too long is dropped.
      ...(alert.generatorURL && alert.generatorURL.length <= URL_LENGTH_MAX && { generator_url: alert.generatorURL }),
    },
  };
}

/**
 * Returns the seconds after which an always-firing alert counts as missing (prometheus 1.7); undefined for other
 * alerts.
 */
function watchdogSecondsOf(labels: LabelSet, { check, watchdogs }: AlertSettings): number | undefined {
  const name = valueOf(labels, check);
  return Object.hasOwn(watchdogs, name) ? watchdogs[name] : undefined;
}

/** Returns the status and output of an always-firing alert: OK while it fires, critical when it ends. */
function watchdogOutcome(
  seconds: number,
  isOver: boolean,
  output: string,
): { readonly status: number; readonly output: string; readonly ttl?: number; readonly ttl_status?: number } {
  return isOver
    ? { status: WATCHDOG_STATUS, output: `Ended by its sender: ${output}` }
    : { status: 0, output, ttl: seconds, ttl_status: WATCHDOG_STATUS };
}

/**
 * Returns the annotations that describe an alert, or its name if there are none. If the names of client and check lost
 * characters of their labels, the label values are added in front.
 */
function outputOf(labels: LabelSet, annotations: LabelSet, settings: AlertSettings): string {
  const name = valueOf(labels, settings.check);
  const client = valueOf(labels, clientLabelOf(labels, settings) ?? '');
  const texts = ['summary', 'description', 'message'].flatMap((key) => valueOf(annotations, key).trim() || []);
  const text = texts.length === 0 ? name : [...new Set(texts)].join('\n');
  const lost = [name, client].filter((value) => isLossy(value) && !text.includes(value));
  return lost.length === 0 ? text : `${lost.join(' ')}: ${text}`;
}

function cutValues(labels: LabelSet, lengthMax: number): LabelSet {
  return Object.fromEntries(Object.entries(labels).map(([name, value]) => [name, cutText(value, lengthMax)]));
}

function removeEmptyLabels(labels: LabelSet): LabelSet {
  return Object.fromEntries(Object.entries(labels).filter(([, value]) => value !== ''));
}

function valueOf(labels: LabelSet, name: string): string {
  return Object.hasOwn(labels, name) ? (labels[name] ?? '') : '';
}

/**
 * Derives the name of the client from a label: `https://web-1:9100/metrics` becomes `web-1`, which is not an exact
 * name.
 */
function deriveClientName(labels: LabelSet, label: string | undefined): DerivedName {
  const value = label === undefined ? '' : valueOf(labels, label);
  const host = value.replace(/^[a-z][a-z0-9+.-]*:\/\//i, '').replace(/^(\[[^\]]*\]|[^:/?#]*):\d{1,5}(?=[/?#]|$)/, '$1');
  const { name, isExact } = toValidName(host, NAME_PART_MAX, FALLBACK_CLIENT);
  return { name: name.replace(FAMILY_SIGN, '-'), isExact: isExact && host === value };
}

/** Names for values without a letter or digit; a hash of the value follows them. */
const FALLBACK_CHECK = 'alert';
const FALLBACK_SEVERITY = 'severity';
const FALLBACK_CLIENT = 'instance';

/**
 * Converts a label value to a valid name: runs of invalid characters become hyphens. If more than punctuation is lost
 * or the name is too long, two dots and a hash of the whole value follow. So `磁盘-1` and `网络-1` get different names.
 */
function toValidName(value: string, lengthMax: number, fallback: string): DerivedName {
  const plain = value.replaceAll(/[^\w.-]+/g, '-').replaceAll(/\.{2,}/g, '.');
  const fullName = trimEdges(plain);
  const name = trimEdges(fullName.slice(0, lengthMax));
  if (!isLossy(value) && fullName.length <= lengthMax) return { name, isExact: name === value };
  return { name: [name || fallback, shortOf(fingerprintOf({ value }))].join(FAMILY_SIGN), isExact: false };
}

/** Whether the name that is derived from a value loses more than punctuation. */
function isLossy(value: string): boolean {
  return /\P{ASCII}/u.test(value) || (value !== '' && !/\w/.test(value));
}

/** Removes dots and hyphens at both ends, in linear time for any input. */
function trimEdges(text: string): string {
  let [start, end] = [0, text.length];
  while (start < end && isEdge(text[start])) start++;
  while (end > start && isEdge(text[end - 1])) end--;
  return text.slice(start, end);
}

function isEdge(sign: string | undefined): boolean {
  return sign === '.' || sign === '-';
}

/** Folds the 16 hexadecimal digits of a fingerprint to 8. */
function shortOf(fingerprint: string): string {
  const folded = Number.parseInt(fingerprint.slice(0, 8), 16) ^ Number.parseInt(fingerprint.slice(8), 16);
  return (folded >>> 0).toString(16).padStart(8, '0');
}
