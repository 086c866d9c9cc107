import type { AlertSettings, LabelSet } from '../schemas/alert.ts';
import type { SilencedEntry } from '../schemas/silenced.ts';
import { alertClient, alertFamily, alertPlace, clientLabelOf, usualClientLabel, type AlertPlace } from './alert.ts';
import type { LabelMatcher } from './label-matchers.ts';
import { clientSubscription } from './subscription.ts';

/** What of the silenced registry a silence is about; one of both at least. */
export type SilencedPlace = Pick<SilencedEntry, 'subscription' | 'check'>;

/** The entry that matchers mean, or why there is none. */
export type SilencePlan =
  ({ readonly kind: 'place' } & SilencedPlace) | { readonly kind: 'problem'; readonly message: string };

/** The annotation of an entry that has its matchers as they were sent, as JSON. */
export const MATCHERS_ANNOTATION = 'alertmanager/matchers';

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
  if (inexact !== undefined) return problem(`${inexact.name} has to be equal to one value here`, settings);
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
    if (place === undefined || !isKnown(place)) {
      return problem('these are not all the labels of an alert that is known', settings);
    }
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
  const { subscription, check } = entry;
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
