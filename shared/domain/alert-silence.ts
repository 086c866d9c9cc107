import type { AlertSettings, LabelSet } from '../schemas/alert.ts';
import type { SilencedEntry } from '../schemas/silenced.ts';
import { alertClient, alertFamily, alertPlace, clientLabelOf, usualClientLabel, type AlertPlace } from './alert.ts';
import type { LabelMatcher } from './label-matchers.ts';
import { quotedText } from './search-syntax.ts';
import { parseSelector } from './selector.ts';
import { clientSubscription } from './subscription.ts';

/** What of the silenced registry a silence is about; one of both at least. */
export type SilencedPlace = Pick<SilencedEntry, 'subscription' | 'check'>;

/** The entry that matchers mean, or why there is none. */
export type SilencePlan =
  | ({ readonly kind: 'place' } & SilencedPlace)
  | { readonly kind: 'selector'; readonly selector: string }
  | { readonly kind: 'problem'; readonly message: string };

/** The annotation of an entry that has its matchers as they were sent, as JSON. */
export const MATCHERS_ANNOTATION = 'alertmanager/matchers';

/** The label that stands for a selector which no matchers made. */
const SELECTOR_LABEL = 'selector';

/** Begins the name of a label that stands for a subscription which is no client. */
const SUBSCRIPTION_LABEL = 'subscription';

/**
 * The entry of the silenced registry that matchers mean (prometheus 2.2).
 *
 * @param isKnown whether anything is known of a check of a client
 */
export function silencePlan(
  matchers: readonly LabelMatcher[],
  settings: AlertSettings,
  isKnown: (place: AlertPlace) => boolean,
): SilencePlan {
  const inexact = matchers.find(({ isRegex, isEqual }) => isRegex || !isEqual);
  if (inexact !== undefined) return selectorPlan(matchers);
  const [first] = matchers;
  if (first?.name === SELECTOR_LABEL && matchers.length === 1) return { kind: 'selector', selector: first.value };
  const labels: LabelSet = Object.fromEntries(matchers.map(({ name, value }) => [name, value]));
  if (Object.keys(labels).length < matchers.length) return problem('a label can have one value only', settings);
  const subscription = labels[SUBSCRIPTION_LABEL];
  if (subscription !== undefined) return placeOfSubscription(labels, subscription, settings);

  const clientLabel = clientLabelOf(labels, settings);
  const name = labels[settings.check] ?? '';
  const severity = labels[settings.severity] ?? '';
  const naming = new Set([clientLabel, settings.check, settings.severity, ...settings.ignore]);
  if (Object.keys(labels).some((label) => !naming.has(label))) {
    const place = alertPlace(labels, settings);
    if (place === undefined || !isKnown(place)) return selectorPlan(matchers);
    return { kind: 'place', subscription: clientSubscription(place.client), check: place.check };
  }
  if (severity !== '' && name === '') return problem(`${settings.severity} needs ${settings.check}`, settings);
  const client = clientLabel === undefined ? undefined : alertClient(labels[clientLabel] ?? '');
  const check = name === '' ? '' : alertFamily(name, severity);
  if (client === undefined && check === '') return problem('no label names a client or a check', settings);
  return {
    kind: 'place',
    subscription: client === undefined ? null : clientSubscription(client),
    check: check === '' ? null : check,
  };
}

/** Where the check of an alert has its labels (prometheus 1.3). */
const LABELS = 'check.metadata.labels.';

/** A selector over the labels of alerts: for patterns, for what a label is not, and for labels that name no place. */
function selectorPlan(matchers: readonly LabelMatcher[]): SilencePlan {
  const terms: string[] = [];
  for (const matcher of matchers) {
    const term = termOf(matcher);
    if (typeof term !== 'string') return term;
    terms.push(term);
  }
  // Else it would find checks that are no alerts at all; an Alertmanager refuses that as well.
  if (!matchers.some(isPositive)) return { kind: 'problem', message: 'a matcher must ask for a label that is there' };
  const selector = terms.join(' ');
  const parsed = parseSelector(selector);
  return parsed.kind === 'selector' ? { kind: 'selector', selector } : { kind: 'problem', message: parsed.message };
}

function isPositive({ value, isRegex, isEqual }: LabelMatcher): boolean {
  const texts = isRegex ? alternativesOf(value) : [value];
  return texts !== undefined && texts.every((text) => text !== '' && text !== '*') === isEqual && value !== '';
}

function termOf({ name, value, isRegex, isEqual }: LabelMatcher): string | Extract<SilencePlan, { kind: 'problem' }> {
  if (!/^[a-z_]\w*$/i.test(name)) return { kind: 'problem', message: `${name.slice(0, 100)} is no name of a label` };
  const texts = isRegex ? alternativesOf(value) : [value];
  if (texts === undefined) {
    const message = `the pattern of ${name} is more than texts, "." and ".*" with "|" between them: write it with these`;
    return { kind: 'problem', message };
  }
  const found = texts.map((text) => oneOf(LABELS + name, text, isRegex)).join(' or ');
  return `${isEqual ? '' : '!'}(${found})`;
}

function oneOf(field: string, text: string, isPattern: boolean): string {
  // A label that is not there has the empty value.
  if (text === '') return `!${field}~*`;
  if (isPattern && text === '*') return `(${field}~* or !${field}~*)`;
  return `${field}${isPattern && /[*?]/.test(text) ? '~' : '='}${quotedText(text)}`;
}

/** Regular expressions of the simplest kind as texts with `*` and `?`; undefined: it is of another kind. */
function alternativesOf(source: string): string[] | undefined {
  const whole = /^\((?:\?:)?([^()]*)\)$/.exec(source)?.[1] ?? source;
  const texts: string[] = [];
  for (const part of whole.split('|')) {
    const glob = part.replaceAll(/\.\*|\.\+|\\[.+*?()[\]{}|^$\\-]|\./g, (sign) => {
      if (sign === '.*') return '*';
      if (sign === '.+') return '?*';
      return sign === '.' ? '?' : `\0${sign.slice(1)}`;
    });
    const rest = glob.replaceAll(/\0./g, '');
    // Neither a sign with a meaning that is left, nor a star or question mark that stands for itself.
    if (/[\\+()[\]{}^$]/.test(rest) || /\0[*?]/.test(glob) || /[*?]/.test(part.replaceAll(/\.\*|\\./g, ''))) {
      return undefined;
    }
    texts.push(glob.replaceAll('\0', ''));
  }
  return texts;
}

function placeOfSubscription(labels: LabelSet, subscription: string, settings: AlertSettings): SilencePlan {
  const { [SUBSCRIPTION_LABEL]: _subscription, [settings.check]: check = '', ...others } = labels;
  if (Object.keys(others).length > 0) {
    return problem(`beside ${SUBSCRIPTION_LABEL} only ${settings.check} is possible`, settings);
  }
  return { kind: 'place', subscription, check: check === '' ? null : check };
}

/** The matchers of an entry: as they were sent, or those that mean it. */
export function matchersOf(entry: SilencedEntry, settings: AlertSettings): LabelMatcher[] {
  const sent = sentMatchers(entry.annotations?.[MATCHERS_ANNOTATION]);
  if (sent !== undefined) return sent;
  const { subscription, check, selector } = entry;
  if (selector !== undefined) return [equal(SELECTOR_LABEL, selector)];
  const matchers: LabelMatcher[] = [];
  if (subscription?.startsWith(CLIENT_PREFIX) === true) {
    matchers.push(equal(usualClientLabel(settings), subscription.slice(CLIENT_PREFIX.length)));
  } else if (subscription !== null) matchers.push(equal(SUBSCRIPTION_LABEL, subscription));
  if (check !== null) matchers.push(equal(settings.check, check));
  return matchers;
}

function equal(name: string, value: string): LabelMatcher {
  return { name, value, isRegex: false, isEqual: true };
}

const CLIENT_PREFIX = clientSubscription('');

function sentMatchers(text: string | undefined): LabelMatcher[] | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every(isMatcher) ? value : undefined;
  } catch {
    // Somebody else wrote the annotation.
    return undefined;
  }
}

function isMatcher(value: unknown): value is LabelMatcher {
  if (typeof value !== 'object' || value === null) return false;
  const { name, value: text, isRegex, isEqual } = value as Readonly<Record<string, unknown>>;
  return (
    typeof name === 'string' && typeof text === 'string' && typeof isRegex === 'boolean' && typeof isEqual === 'boolean'
  );
}

function problem(reason: string, { client, check, severity }: AlertSettings): SilencePlan {
  const ways = `a silence takes equalities of ${check}, of ${check} and ${severity}, of a label of the client (${client.join(', ')}), of both, or all labels of an alert that is known`;
  return { kind: 'problem', message: `${reason}: ${ways}` };
}
