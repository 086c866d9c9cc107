import type { EntityUsage } from '../schemas/entity-usage.ts';
import { formatDuration } from './duration.ts';

/** Names of the checks by which the backend reports problems of its own, such as failing handlers. */
export const CONDITION_NAMES = ['mon.entities', 'mon.handlers', 'mon.checks', 'mon.silences', 'mon.on-call'] as const;
export type ConditionName = (typeof CONDITION_NAMES)[number];

/** The outcome of evaluating a condition of the backend, such as "handlers are failing". */
export interface ConditionFinding {
  /** 0 OK, 1 warning, 2 critical. */
  readonly status: 0 | 1 | 2;
  readonly text: string;
  /** Sorted names of the affected objects. */
  readonly subjects: readonly string[];
}

/** Maximum number of affected objects that the text of an event names. */
const SUBJECTS_MAX = 10;

const ENTITIES_WARNING = 0.8;
/**
 * Hysteresis as a share of the limit: a warning or critical status ends only when the number of entities is that much
 * below its threshold. So one entity cannot make the status flap.
 */
const ENTITIES_MARGIN = 0.05;

/** Time in seconds for which a handler must have failed, without a success, before it is reported. */
const HANDLER_GRACE_SECONDS = 600;
/**
 * Time in seconds for which a check must have been unable to run before it is reported. Agents need this time to
 * connect after a change.
 */
export const CHECK_GRACE_SECONDS = 600;

/**
 * Evaluates whether the backend is close to `entity-limit`.
 *
 * @param refused names of the entities that were rejected in the last hour
 * @param previous status of the last finding
 */
export function entitiesFinding(
  { total, proxies, limit }: EntityUsage,
  refused: readonly string[],
  previous: number,
): ConditionFinding {
  const text = `${String(total)} of ${String(limit)} entities`;
  if (limit === 'unlimited') return okFinding(`${String(total)} entities, entity-limit is unlimited`);
  const from = (part: number, level: number): number => (part - (previous >= level ? ENTITIES_MARGIN : 0)) * limit;
  const details = `${text} are in use (${nounWithCount(proxies, 'proxy entity', 'proxy entities')})`;
  const remedy = 'raise entity-limit in the configuration of the backend, or delete clients that are gone';
  if (total >= from(1, 2)) {
    const effect = total >= limit ? 'new agents and entities are rejected' : 'new agents and entities were rejected';
    return problemFinding(
      2,
      refused,
      (names) => `entity-limit: ${details}, ${effect}${names && `: ${names}`}; ${remedy}`,
    );
  }
  if (total >= from(ENTITIES_WARNING, 1)) {
    return {
      ...okFinding(''),
      status: 1,
      text: `entity-limit: ${details}, at ${String(limit)} new ones are refused; ${remedy}`,
    };
  }
  return okFinding(text);
}

/** A handler whose recent runs all failed. */
export interface FailingHandler {
  readonly name: string;
  /** Time since the first failure in this process; undefined if the handler has not run since the backend started. */
  readonly failingSeconds: number | undefined;
  /** True if the previous finding named the handler. It then counts as failing until a run succeeds. */
  readonly wasReported: boolean;
  readonly reason: string | undefined;
}

/** Evaluates whether handlers have been failing for a long time, with no success in between. */
export function handlersFinding(handlers: readonly FailingHandler[]): ConditionFinding {
  const failing = handlers.filter(({ failingSeconds, wasReported }) => wasReported || isLongFailure(failingSeconds));
  if (failing.length === 0) return okFinding('no handler has been failing for a long time');
  const [worst] = failing.toSorted((a, b) => (b.failingSeconds ?? Infinity) - (a.failingSeconds ?? Infinity));
  // A short time means that the backend was restarted in between, so that the whole duration is unknown.
  const since = isLongFailure(worst?.failingSeconds) ? ` for ${formatDuration(worst?.failingSeconds ?? 0, 1)}` : '';
  const reason = worst?.reason === undefined ? '' : `: ${worst.reason}`;
  return problemFinding(
    2,
    failing.map(({ name }) => name),
    (names) =>
      `notifications fail${since} with no success (${names})${reason}; see monctl handler list and monctl dead-letter list`,
  );
}

function isLongFailure(seconds = 0): boolean {
  return seconds >= HANDLER_GRACE_SECONDS;
}

/** A defined check that cannot run. */
export interface BrokenCheck {
  readonly name: string;
  readonly problem: string;
}

/** Evaluates whether there are defined checks that cannot run. */
export function checksFinding(checks: readonly BrokenCheck[]): ConditionFinding {
  if (checks.length === 0) return okFinding('every scheduled check can run');
  return {
    ...problemFinding(
      1,
      checks.map(({ name, problem }) => `${name} (${problem})`),
      (names) => `${nounWithCount(checks.length, 'check never runs', 'checks never run')}: ${names}`,
    ),
    subjects: checks.map(({ name }) => name).toSorted(),
  };
}

/** Evaluates whether there are idle silences: silences that matched no event for the time `silence-idle-after`. */
export function silencesFinding(idle: readonly string[]): ConditionFinding {
  if (idle.length === 0) return okFinding('every silence has matched an event recently');
  return problemFinding(
    1,
    idle,
    (names) =>
      `${nounWithCount(idle.length, 'silence has', 'silences have')} matched no event for a long time: ${names}; see monctl silence list --idle`,
  );
}

/** A time in the next seven days in which nobody is on call for a schedule. */
export interface ScheduleGap {
  /** Name of the schedule. */
  readonly name: string;
  /** True if nobody is on call now. */
  readonly isNow: boolean;
  /** Begin and end of the gap, as text. */
  readonly from: string;
  readonly until: string;
}

/** Evaluates whether somebody is on call for each schedule, now and in the next seven days (on-call 3). */
export function onCallFinding(gaps: readonly ScheduleGap[]): ConditionFinding {
  if (gaps.length === 0) return okFinding('somebody is on call for every schedule');
  const current = gaps.filter(({ isNow }) => isNow);
  const verb = current.length > 0 ? 'is' : 'will be';
  const texts = (current.length > 0 ? current : gaps).map(({ name, isNow, from, until }) =>
    isNow ? `${name} until ${until}` : `${name} from ${from} until ${until}`,
  );
  const reason = (names: string): string =>
    `nobody ${verb} on call for ${names}; see monctl on-call check, and add an override`;
  return {
    ...problemFinding(current.length > 0 ? 2 : 1, texts, reason),
    subjects: gaps.map(({ name }) => name).toSorted(),
  };
}

function nounWithCount(count: number, one: string, many: string): string {
  return `${String(count)} ${count === 1 ? one : many}`;
}

function okFinding(text: string): ConditionFinding {
  return { status: 0, text, subjects: [] };
}

function problemFinding(status: 1 | 2, all: readonly string[], textOf: (names: string) => string): ConditionFinding {
  const subjects = all.toSorted();
  const named = subjects.slice(0, SUBJECTS_MAX);
  const more = subjects.length - named.length;
  const names = named.join(', ') + (more > 0 ? ` and ${String(more)} more` : '');
  return { status, text: textOf(names), subjects };
}
