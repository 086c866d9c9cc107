import type { AlertSettings } from '../schemas/alert.ts';
import type { SilencedEntry } from '../schemas/silenced.ts';
import { SUBSCRIPTION_LABEL, defaultClientLabel } from './alert-labels.ts';
import type { LabelMatcher } from './label-matchers.ts';
import { isMatchersText, parseMatchers } from './matcher-selector.ts';
import { clientSubscription } from './subscription.ts';

/** The annotation in which silences of earlier versions store their matchers, as JSON. */
const MATCHERS_ANNOTATION = 'alertmanager/matchers';

/**
 * The annotation that stores `startsAt` as sent, in epoch milliseconds. The silence itself begins at a whole second.
 */
export const STARTS_AT_ANNOTATION = 'alertmanager/starts-at';

/** The label in the matcher that represents a selector which cannot be written as label matchers. */
const SELECTOR_LABEL = 'selector';

/** Returns the matchers with which a silence was created, or equivalent ones if it was created without matchers. */
export function matchersOfSilence(entry: SilencedEntry, settings: AlertSettings): readonly LabelMatcher[] {
  const { subscription, check, selector } = entry;
  if (selector !== undefined && isMatchersText(selector)) {
    const matchers = parseMatchers(selector);
    if (!('kind' in matchers)) return matchers;
  }
  const sent = sentMatchers(entry.annotations?.[MATCHERS_ANNOTATION]);
  if (sent !== undefined) return sent;
  if (selector !== undefined) return [equalMatcher(SELECTOR_LABEL, selector)];
  const matchers: LabelMatcher[] = [];
  if (subscription?.startsWith(CLIENT_PREFIX) === true) {
    matchers.push(equalMatcher(defaultClientLabel(settings), subscription.slice(CLIENT_PREFIX.length)));
  } else if (subscription !== null) matchers.push(equalMatcher(SUBSCRIPTION_LABEL, subscription));
  if (check !== null) matchers.push(equalMatcher(settings.check, check));
  return matchers;
}

/** Whether two lists contain the same matchers, in any order. */
export function areSameMatchers(one: readonly LabelMatcher[], other: readonly LabelMatcher[]): boolean {
  const [texts, others] = [one, other].map((matchers) =>
    matchers.map(({ name, value, isRegex, isEqual }) => JSON.stringify([name, value, isRegex, isEqual])).toSorted(),
  );
  return JSON.stringify(texts) === JSON.stringify(others);
}

/**
 * Returns when a silence starts, in epoch milliseconds: the `startsAt` that was sent, unless the begin of the silence
 * was changed later.
 */
export function startOf({ begin, timestamp, annotations }: SilencedEntry): number {
  const start = begin ?? timestamp;
  const sent = Number(annotations?.[STARTS_AT_ANNOTATION] ?? Number.NaN);
  // A silence without `begin` was active from its creation, so its `startsAt` can be any earlier time.
  const isSame = begin === null ? sent < (timestamp + 1) * 1000 : Math.floor(sent / 1000) === begin;
  return isSame ? sent : start * 1000;
}

function equalMatcher(name: string, value: string): LabelMatcher {
  return { name, value, isRegex: false, isEqual: true };
}

const CLIENT_PREFIX = clientSubscription('');

function sentMatchers(text: string | undefined): LabelMatcher[] | undefined {
  if (text === undefined) return undefined;
  try {
    const value: unknown = JSON.parse(text);
    return Array.isArray(value) && value.every(isMatcher) ? value : undefined;
  } catch {
    // Invalid JSON: another program wrote the annotation.
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
