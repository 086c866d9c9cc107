import type { Watchdog } from '../schemas/watchdog.ts';
import { FAMILY_SIGN } from './check-family.ts';
import { formatDuration } from './duration.ts';

/** The result or alert that a watchdog expects, as the attribute `expect` names it. */
export interface Expectation {
  readonly kind: 'check' | 'alert';
  /** Name of the client; undefined if the result or alert of any client counts. */
  readonly client: string | undefined;
  readonly check: string;
}

/** Seconds that a result has to arrive after the start of the backend, because agents deliver their spools then. */
const START_GRACE_SECONDS = 300;

/** Parses the attribute `expect` of a valid watchdog. */
export function expectationOf({ expect }: Pick<Watchdog, 'expect'>): Expectation {
  const [kind, name = ''] = expect.split(' ');
  const slash = name.indexOf('/');
  return {
    kind: kind === 'alert' ? 'alert' : 'check',
    client: slash === -1 ? undefined : name.slice(0, slash),
    check: name.slice(slash + 1),
  };
}

/**
 * True if a stored result is one that a watchdog expects. An alert has the name of its check, or belongs to its family
 * because of its labels. An alert that has ended does not count: it has no TTL any more.
 */
export function isExpected(
  { kind, check }: Expectation,
  result: { readonly name: string; readonly ttl: number },
): boolean {
  if (kind === 'check') return result.name === check;
  return result.ttl > 0 && (result.name === check || result.name.startsWith(`${check}${FAMILY_SIGN}`));
}

/** The times from which the verdict of a watchdog follows, in epoch seconds. */
export interface WatchdogTimes {
  readonly now: number;
  /** Time since which the watchdog is in force at this backend. */
  readonly since: number;
  /** Time of the last result or alert that the watchdog expects; undefined if none is stored. */
  readonly last: number | undefined;
}

/** Evaluates a watchdog and returns the status and output of its check (spec, watchdogs 1). */
export function watchdogVerdict(
  watchdog: Pick<Watchdog, 'expect' | 'within'>,
  { now, since, last }: WatchdogTimes,
): { readonly status: 0 | 2; readonly output: string } {
  const { expect, within } = watchdog;
  const isAlert = expectationOf(watchdog).kind === 'alert';
  const limit = `expected every ${formatDuration(within)}`;
  if (last === undefined) {
    return now < since + within
      ? { status: 0, output: `${expect}: waiting for the first one, ${limit}` }
      : { status: 2, output: `${expect} ${isAlert ? 'does not fire' : 'has never come'}, ${limit}` };
  }
  const age = formatDuration(now - last);
  const isMissing = now >= Math.max(last + within, since + Math.min(within, START_GRACE_SECONDS));
  return isMissing
    ? { status: 2, output: `${expect} has not come for ${age}, ${limit}` }
    : { status: 0, output: `${expect} came ${age} ago, ${limit}` };
}
