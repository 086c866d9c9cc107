import type { AlertSettings, LabelSet } from '../schemas/alert.ts';
import { isAttributes } from './attributes.ts';
import { redact } from './redact.ts';
import { severityOf } from './severity.ts';

/*
 * The labels of an open event, for the list `GET /api/v2/alerts` and for matchers (prometheus 2.2). Both use the same
 * functions, so the list shows an event as suppressed exactly if the matchers of a silence cover it.
 */

/** The settings that choose the names of the labels for client, check and severity. */
export type AlertNaming = Pick<AlertSettings, 'client' | 'check' | 'severity'>;

/** The data of a check on a client that label matchers evaluate; see `SelectorSubject`. */
export interface LabelSubject {
  readonly client: string;
  readonly check: string;
  readonly subscriptions: readonly string[];
  /** Status of the open event. */
  readonly status?: number;
  /** Names of the labels for client, check and severity; if undefined, `DEFAULT_NAMING` is used. */
  readonly naming?: AlertNaming | undefined;
  readonly attribute: (owner: 'client' | 'check', name: string) => readonly string[];
}

export const DEFAULT_NAMING: AlertNaming = {
  client: ['client', 'instance', 'host', 'hostname', 'node'],
  check: 'alertname',
  severity: 'severity',
};

/** Maximum length of a label value. Longer values are cut, so that matching stays fast. */
export const LABEL_VALUE_MAX = 4096;

/** Sign at the end of a text that was cut. */
const CUT_MARK = '…';

/** Cuts a text to a maximum length and marks the cut. */
export function cutText(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  const end = lengthMax - CUT_MARK.length;
  // A cut must not split a surrogate pair.
  const isPairCut = /[\uD800-\uDBFF]/.test(text[end - 1] ?? '');
  return text.slice(0, isPairCut ? end - 1 : end) + CUT_MARK;
}

/** Returns the name of the label whose value names the client; undefined if there is no such label (prometheus 1.2). */
export function clientLabelOf(labels: LabelSet, { client }: Pick<AlertNaming, 'client'>): string | undefined {
  return client.find((name) => Object.hasOwn(labels, name) && labels[name] !== '');
}

/** Returns the name of the label to which the client name is written if the check has no client label of its own. */
export function defaultClientLabel({ client }: Pick<AlertNaming, 'client'>): string {
  return client.includes('instance') ? 'instance' : (client[0] ?? 'instance');
}

/** Whether a check was made from a Prometheus alert. Its labels are complete, so none are added to it. */
function isAlert(check: Readonly<Record<string, unknown>>): boolean {
  return isAttributes(check['alert']);
}

/**
 * Returns the labels in the metadata of a check.
 *
 * @param check the check after redaction
 */
function ownLabels(check: Readonly<Record<string, unknown>>): LabelSet {
  const metadata = check['metadata'];
  const labels = isAttributes(metadata) ? metadata['labels'] : undefined;
  if (!isAttributes(labels)) return {};
  const texts = Object.entries(labels).flatMap(([name, text]) =>
    typeof text === 'string' ? [[name, cutText(text, LABEL_VALUE_MAX)] as const] : [],
  );
  return Object.fromEntries(texts);
}

/**
 * Returns all labels of an event. Unless the check is an alert, they include the client, the check and the severity.
 */
export function labelsOfEvent(
  client: string,
  check: Readonly<Record<string, unknown>> & { readonly name: string; readonly status: number },
  naming: AlertNaming,
): LabelSet {
  const own = ownLabels(check);
  // The client, check and severity override labels of the same names, which an agent could have put into its result.
  if (isAlert(check)) return own;
  return {
    ...own,
    [clientLabelOf(own, naming) ?? defaultClientLabel(naming)]: client,
    [naming.check]: check.name,
    [naming.severity]: severityOf(check.status),
  };
}

/*
 * Only the labels that a silence names are kept in memory. They are stored as attributes of the check, with names that
 * no other attribute has: `{NAME}` contains the value of the label NAME. The attribute `{}` marks an alert, or else
 * lists the names of all labels.
 */

/** The attribute whose value marks the event as a Prometheus alert, or else lists the names of its own labels. */
export const ORIGIN_ATTRIBUTE = '{}';
const ALERT_LABEL = '';

/** Returns the name of the attribute that contains the value of a label. */
export function labelAttribute(label: string): string {
  return `{${label}}`;
}

/** The labels of a check after redaction, from which `labelAttributeTexts` reads. */
export interface VisibleLabels {
  readonly isAlert: boolean;
  readonly labels: LabelSet;
}

/**
 * Returns the labels of a check after redaction.
 *
 * @param check the check part of a result
 * @param hidden keys whose values are redacted
 */
export function visibleLabels(check: unknown, hidden: ReadonlySet<string>): VisibleLabels {
  if (!isAttributes(check)) return { isAlert: false, labels: {} };
  const { metadata, alert } = check;
  const labels = isAttributes(metadata) ? metadata['labels'] : undefined;
  const shown = redact({ metadata: { labels }, alert: isAttributes(alert) ? {} : undefined }, hidden);
  return { isAlert: isAlert(shown), labels: ownLabels(shown) };
}

export function isLabelAttribute(attribute: string): boolean {
  return attribute.startsWith('{');
}

/** Returns the values of an attribute that contains a label (`{NAME}`), or of `ORIGIN_ATTRIBUTE`. */
export function labelAttributeTexts(visible: VisibleLabels, attribute: string): readonly string[] {
  const { labels } = visible;
  if (attribute === ORIGIN_ATTRIBUTE) {
    return visible.isAlert ? ALERT_LABELS : Object.keys(labels).filter((name) => labels[name] !== '');
  }
  const label = attribute.slice(1, -1);
  return Object.hasOwn(labels, label) ? [labels[label] ?? ''] : NO_VALUES;
}

const NO_VALUES: readonly string[] = [];
const ALERT_LABELS: readonly string[] = [ALERT_LABEL];

/**
 * A label that matchers can use but lists do not show. Its values are the subscriptions of the client, unless the check
 * has a label of that name.
 */
export const SUBSCRIPTION_LABEL = 'subscription';

/** Callback that returns the values of a label of one event, and caches them. */
export type LabelReader = (label: string) => readonly string[];

export function labelReader(subject: LabelSubject): LabelReader {
  const cache = new Map<string, readonly string[]>();
  return (label) => {
    let values = cache.get(label);
    if (values === undefined) cache.set(label, (values = labelValues(subject, label)));
    return values;
  };
}

/** Returns the values of a label of an event: usually one; none if the event does not have the label. */
function labelValues(subject: LabelSubject, label: string): readonly string[] {
  const { client, check, subscriptions, status = 0, naming = DEFAULT_NAMING } = subject;
  const own = subject.attribute('check', labelAttribute(label));
  const origin = subject.attribute('check', ORIGIN_ATTRIBUTE);
  if (origin[0] === ALERT_LABEL) return own;
  if (label === naming.severity) return [severityOf(status)];
  if (label === naming.check) return [check];
  if (label === (naming.client.find((name) => origin.includes(name)) ?? defaultClientLabel(naming))) return [client];
  return label === SUBSCRIPTION_LABEL && own.length === 0 ? subscriptions : own;
}
