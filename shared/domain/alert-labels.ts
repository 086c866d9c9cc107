import type { AlertSettings, LabelSet } from '../schemas/alert.ts';
import { isAttributes } from './attributes.ts';
import { redact } from './redact.ts';
import { severityOf } from './severity.ts';

/*
 * The labels of an open event, as `GET /api/v2/alerts` lists them and as matchers see them (prometheus 2.2). Both come
 * from here: what is listed as suppressed is what a silence covers.
 */

/** The settings that say which labels stand for client, check and severity. */
export type AlertNaming = Pick<AlertSettings, 'client' | 'check' | 'severity'>;

/** A check on a client as matchers see it; see `SelectorSubject`. */
export interface LabelSubject {
  readonly client: string;
  readonly check: string;
  readonly subscriptions: readonly string[];
  /** Status of the open event. */
  readonly status?: number;
  /** Absent: the default settings. */
  readonly naming?: AlertNaming | undefined;
  readonly attribute: (owner: 'client' | 'check', name: string) => readonly string[];
}

export const DEFAULT_NAMING: AlertNaming = {
  client: ['client', 'instance', 'host', 'hostname', 'node'],
  check: 'alertname',
  severity: 'severity',
};

/** Longest value of a label; longer ones are cut, so that no matcher takes long. */
export const LABEL_VALUE_MAX = 4096;

/** Ends a text that was cut. */
const CUT_MARK = '…';

/** A text that is at most so long, with a mark if something was cut off. */
export function cutText(text: string, lengthMax: number): string {
  if (text.length <= lengthMax) return text;
  const end = lengthMax - CUT_MARK.length;
  // Half of a pair of surrogates is no character.
  const isPairCut = /[\uD800-\uDBFF]/.test(text[end - 1] ?? '');
  return text.slice(0, isPairCut ? end - 1 : end) + CUT_MARK;
}

/** The label that names the client; undefined if there is none (prometheus 1.2). */
export function clientLabelOf(labels: LabelSet, { client }: Pick<AlertNaming, 'client'>): string | undefined {
  return client.find((name) => Object.hasOwn(labels, name) && labels[name] !== '');
}

/** The label that stands for the client where nothing says which one does. */
export function usualClientLabel({ client }: Pick<AlertNaming, 'client'>): string {
  return client.includes('instance') ? 'instance' : (client[0] ?? 'instance');
}

/** Whether a check is an alert that Prometheus sent, whose labels say all. */
function isAlert(check: Readonly<Record<string, unknown>>): boolean {
  return isAttributes(check['alert']);
}

/**
 * The labels in the metadata of a check.
 *
 * @param check redacted
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

/** All labels of an event; those of a check include its client, its name and its severity. */
export function labelsOfEvent(
  client: string,
  check: Readonly<Record<string, unknown>> & { readonly name: string; readonly status: number },
  naming: AlertNaming,
): LabelSet {
  const own = ownLabels(check);
  // What an agent reports may have labels of its own, which do not say where it is from.
  if (isAlert(check)) return own;
  return {
    ...own,
    [clientLabelOf(own, naming) ?? usualClientLabel(naming)]: client,
    [naming.check]: check.name,
    [naming.severity]: severityOf(check.status),
  };
}

/*
 * Only the labels that a silence names are kept in memory, as attributes of the check with names that no attribute has:
 * `{NAME}` holds the value of a label, `{}` what is known of all.
 */

/** The attribute that holds whether the event is an alert, else the names of its own labels. */
export const ORIGIN_ATTRIBUTE = '{}';
const OF_ALERT = '';

/** The attribute that holds the value of a label. */
export function labelAttribute(label: string): string {
  return `{${label}}`;
}

/** The labels of a check as they are listed: the source of the attributes above. */
export interface VisibleLabels {
  readonly isAlert: boolean;
  readonly labels: LabelSet;
}

/**
 * Reads the labels of a check as they are listed.
 *
 * @param check the check part of a result
 * @param hidden keys whose value is not shown
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

/** Returns the texts of one of the attributes above. */
export function labelAttributeTexts(visible: VisibleLabels, attribute: string): readonly string[] {
  const { labels } = visible;
  if (attribute === ORIGIN_ATTRIBUTE) {
    return visible.isAlert ? ALERT : Object.keys(labels).filter((name) => labels[name] !== '');
  }
  const label = attribute.slice(1, -1);
  return Object.hasOwn(labels, label) ? [labels[label] ?? ''] : NONE;
}

const NONE: readonly string[] = [];
const ALERT: readonly string[] = [OF_ALERT];

/** A label that is not listed: its values are the subscriptions of the client, if a check has no such label itself. */
export const SUBSCRIPTION_LABEL = 'subscription';

/** Reads the values of labels of one event, each of them once. */
export type LabelReader = (label: string) => readonly string[];

export function labelReader(subject: LabelSubject): LabelReader {
  const known = new Map<string, readonly string[]>();
  return (label) => {
    let values = known.get(label);
    if (values === undefined) known.set(label, (values = labelValues(subject, label)));
    return values;
  };
}

/** The values of a label of an event: usually one, none if it does not have the label. */
function labelValues(subject: LabelSubject, label: string): readonly string[] {
  const { client, check, subscriptions, status = 0, naming = DEFAULT_NAMING } = subject;
  const own = subject.attribute('check', labelAttribute(label));
  const origin = subject.attribute('check', ORIGIN_ATTRIBUTE);
  if (origin[0] === OF_ALERT) return own;
  if (label === naming.severity) return [severityOf(status)];
  if (label === naming.check) return [check];
  if (label === (naming.client.find((name) => origin.includes(name)) ?? usualClientLabel(naming))) return [client];
  return label === SUBSCRIPTION_LABEL && own.length === 0 ? subscriptions : own;
}
