/**
 * The last statuses of a check, packed. While every status is 0 to 3, the usual case, each takes two bits of two
 * numbers; otherwise an array holds them. A backend holds one history per client and check, so bytes count.
 */

/** Number of entries shown (completion 1.4). */
export const HISTORY_LENGTH = 21;

/** Number of entries stored. One extra entry shows whether the oldest one shown was the first ever. */
const KEPT_LENGTH = HISTORY_LENGTH + 1;

/** Number of entries in `recent`; the others are in `older`. */
const RECENT = 11;
const RECENT_MASK = (1 << (2 * RECENT)) - 1;
const OLDER_MASK = (1 << (2 * (KEPT_LENGTH - RECENT))) - 1;

export interface History {
  readonly length: number;
  /** The newest 11 statuses, newest in the lowest bits. */
  readonly recent: number;
  /** The 11 before them. */
  readonly older: number;
  /** All statuses, oldest first, if one of them does not fit in two bits. */
  readonly wide: readonly number[] | undefined;
}

export const EMPTY_HISTORY: History = { length: 0, recent: 0, older: 0, wide: undefined };

const isNarrow = (status: number): boolean => status >= 0 && status <= 3 && Number.isInteger(status);

/** Appends a status to the history. */
export function pushStatus(history: History, status: number): History {
  if (history.wide !== undefined || !isNarrow(status)) {
    return historyOf([...keptStatuses(history), status]);
  }
  return {
    length: Math.min(history.length + 1, KEPT_LENGTH),
    recent: ((history.recent << 2) | status) & RECENT_MASK,
    older: ((history.older << 2) | (history.recent >>> (2 * (RECENT - 1)))) & OLDER_MASK,
    wide: undefined,
  };
}

/** @param statuses oldest first; only the newest 22 are stored */
export function historyOf(statuses: readonly number[]): History {
  const kept = statuses.slice(-KEPT_LENGTH);
  if (!kept.every(isNarrow)) return { length: kept.length, recent: 0, older: 0, wide: kept };
  return kept.reduce(pushStatus, EMPTY_HISTORY);
}

/**
 * Rebuilds a history from its shown statuses. A full list nearly always had an earlier entry that is no longer shown.
 */
export function historyAsShown(statuses: readonly number[]): History {
  return historyOf(statuses.length < HISTORY_LENGTH ? statuses : [statuses[0] ?? 0, ...statuses]);
}

/** @returns the newest 21, oldest first */
export function statusesOf(history: History): number[] {
  return keptStatuses(history).slice(-HISTORY_LENGTH);
}

/** @returns the newest 21 statuses without the very first one, oldest first */
export function laterStatuses(history: History): number[] {
  return keptStatuses(history).slice(1);
}

function keptStatuses(history: History): number[] {
  if (history.wide !== undefined) return [...history.wide];
  const statuses: number[] = [];
  for (let age = history.length - 1; age >= 0; age--) statuses.push(statusAt(history, age));
  return statuses;
}

/**
 * @param age 0 is the newest
 * @returns undefined if the shown history does not reach back that far
 */
export function statusBack(history: History, age: number): number | undefined {
  if (age >= Math.min(history.length, HISTORY_LENGTH)) return undefined;
  return history.wide === undefined ? statusAt(history, age) : history.wide[history.length - 1 - age];
}

/** Returns the last status that was not OK; 0 if the history has none. */
export function lastProblem(history: History): number {
  for (let age = 0; age < history.length; age++) {
    const status = statusBack(history, age);
    if (status !== undefined && status !== 0) return status;
  }
  return 0;
}

/** Whether the history is full and all its statuses are OK. */
export function isFullOfOk({ length, recent, older, wide }: History): boolean {
  return length === KEPT_LENGTH && recent === 0 && older === 0 && wide === undefined;
}

function statusAt(history: History, age: number): number {
  return age < RECENT ? (history.recent >>> (2 * age)) & 3 : (history.older >>> (2 * (age - RECENT))) & 3;
}
