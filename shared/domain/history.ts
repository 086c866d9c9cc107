/**
 * The last statuses of a check in a compact form. If all statuses are 0 to 3, as usual, each takes two bits in one of
 * two numbers. Otherwise an array contains them. The compact form saves memory: a backend has one history per client
 * and check.
 */

/** Number of statuses in the attribute `history` of an event (completion 1.4). */
export const HISTORY_LENGTH = 21;

/**
 * Number of stored statuses: one more than an event shows. If the extra status exists, the oldest shown status was not
 * the first one ever.
 */
const STORED_LENGTH = HISTORY_LENGTH + 1;

/** Number of statuses in `recent`; the older ones are in `older`. */
const RECENT_STATUSES = 11;
const RECENT_MASK = (1 << (2 * RECENT_STATUSES)) - 1;
const OLDER_MASK = (1 << (2 * (STORED_LENGTH - RECENT_STATUSES))) - 1;

export interface History {
  readonly length: number;
  /** The newest 11 statuses, newest in the lowest bits. */
  readonly recent: number;
  /** The 11 statuses before those in `recent`, newest in the lowest bits. */
  readonly older: number;
  /** All statuses, oldest first, if one of them does not fit in two bits; otherwise undefined. */
  readonly wide: readonly number[] | undefined;
}

export const EMPTY_HISTORY: History = { length: 0, recent: 0, older: 0, wide: undefined };

const isNarrow = (status: number): boolean => status >= 0 && status <= 3 && Number.isInteger(status);

/** Appends a status to the history. */
export function pushStatus(history: History, status: number): History {
  if (history.wide !== undefined || !isNarrow(status)) {
    return historyOf([...storedStatuses(history), status]);
  }
  return {
    length: Math.min(history.length + 1, STORED_LENGTH),
    recent: ((history.recent << 2) | status) & RECENT_MASK,
    older: ((history.older << 2) | (history.recent >>> (2 * (RECENT_STATUSES - 1)))) & OLDER_MASK,
    wide: undefined,
  };
}

/**
 * Returns a history of these statuses.
 *
 * @param statuses oldest first; only the newest 22 are stored
 */
export function historyOf(statuses: readonly number[]): History {
  const kept = statuses.slice(-STORED_LENGTH);
  if (!kept.every(isNarrow)) return { length: kept.length, recent: 0, older: 0, wide: kept };
  return kept.reduce(pushStatus, EMPTY_HISTORY);
}

/**
 * Rebuilds a history from the statuses that an event shows. If there are 21, an earlier status is added, because a
 * check with so many statuses nearly always had an earlier one.
 */
export function historyFromShownStatuses(statuses: readonly number[]): History {
  return historyOf(statuses.length < HISTORY_LENGTH ? statuses : [statuses[0] ?? 0, ...statuses]);
}

/** @returns the newest 21 statuses, oldest first */
export function statusesOf(history: History): number[] {
  return storedStatuses(history).slice(-HISTORY_LENGTH);
}

/** @returns the newest 21 statuses except the first one ever, oldest first */
export function statusesWithoutFirst(history: History): number[] {
  return storedStatuses(history).slice(1);
}

function storedStatuses(history: History): number[] {
  if (history.wide !== undefined) return [...history.wide];
  const statuses: number[] = [];
  for (let age = history.length - 1; age >= 0; age--) statuses.push(statusOfAge(history, age));
  return statuses;
}

/**
 * Returns one status of a history.
 *
 * @param age number of newer statuses; 0 is the newest
 * @returns undefined if `age` is beyond the newest 21 statuses or the history is shorter
 */
export function statusAtAge(history: History, age: number): number | undefined {
  if (age >= Math.min(history.length, HISTORY_LENGTH)) return undefined;
  return history.wide === undefined ? statusOfAge(history, age) : history.wide[history.length - 1 - age];
}

/** Returns the newest status other than OK among the newest 21; 0 if all are OK. */
export function lastProblem(history: History): number {
  for (let age = 0; age < history.length; age++) {
    const status = statusAtAge(history, age);
    if (status !== undefined && status !== 0) return status;
  }
  return 0;
}

/** Whether the history is full (22 stored statuses) and all its statuses are OK. */
export function isFullOfOk({ length, recent, older, wide }: History): boolean {
  return length === STORED_LENGTH && recent === 0 && older === 0 && wide === undefined;
}

function statusOfAge(history: History, age: number): number {
  return age < RECENT_STATUSES
    ? (history.recent >>> (2 * age)) & 3
    : (history.older >>> (2 * (age - RECENT_STATUSES))) & 3;
}
