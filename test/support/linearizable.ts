/** An operation of one client on one key. All operations of a history have times on the same clock. */
export interface Operation {
  /** `write` sets a value, `clear` removes the value if there is one, `read` returns it. */
  readonly kind: 'write' | 'clear' | 'read';
  /** Index of the backend that got the request. */
  readonly member: number;
  /** The value that was written or read; `undefined` if a read found none, or for `clear`. */
  readonly value?: string | undefined;
  /** For `clear`: true if a value existed and was removed. */
  readonly found?: boolean;
  /** For `read`: true if the backend was the leader at that time. The leader knows all acknowledged writes. */
  readonly isAtWriter?: boolean;
  /**
   * Time of the request; `end` is the time of the response. For `write` and `clear`, `end` is `Infinity` if it is
   * unknown whether the operation was or will be executed.
   */
  readonly begin: number;
  readonly end: number;
}

/** A state of the search: the set of executed operations as a bit mask, and the resulting value. */
interface Place {
  readonly done: bigint;
  readonly value: string | undefined;
}

/**
 * True if a history of one key, which has no value at first, is allowed (docs/scale-out.md). It is if all changes have
 * an order that fits their times, and each read shows the state after a prefix of that order. The prefix must include
 * everything that was acknowledged or read earlier through the same backend.
 *
 * The search tries each possible next operation, as in the algorithm of Wing and Gong. Operations that change nothing
 * are executed as early as possible, which excludes no valid order.
 */
export function isLinearizable(history: readonly Operation[]): boolean {
  const before = history.map((one) => maskOf(history, (other) => precedes(other, one)));
  const owed = maskOf(history, ({ end }) => end !== Infinity);
  const seen = new Set<string>();
  const waiting: Place[] = [{ done: 0n, value: undefined }];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const { done, value } = afterEffectlessOperations(history, before, place);
    if ((done & owed) === owed) return true;
    const name = `${String(done)} ${value ?? ''}`;
    if (seen.has(name)) continue;
    seen.add(name);
    for (const [at, operation] of history.entries()) {
      if (canBeNext(at, before, done) && changes(operation, value)) {
        waiting.push({ done: done | bit(at), value: operation.value });
      }
    }
  }
  return false;
}

/** True if `one` precedes `other` in every allowed order. */
function precedes(one: Operation, other: Operation): boolean {
  if (one.end >= other.begin) return false;
  if (other.kind !== 'read' || (one.kind !== 'read' && other.isAtWriter === true)) return true;
  // A backend may not know yet which requests another backend has acknowledged.
  return one.member === other.member || (one.isAtWriter === true && other.isAtWriter === true);
}

function afterEffectlessOperations(
  history: readonly Operation[],
  before: readonly bigint[],
  { done: first, value }: Place,
): Place {
  let done = first;
  for (let last = -1n; last !== done;) {
    last = done;
    for (const [at, operation] of history.entries()) {
      if (canBeNext(at, before, done) && isPossibleWithoutChange(operation, value)) done |= bit(at);
    }
  }
  return { done, value };
}

/** True if the operation is possible with this value and does not change it. */
function isPossibleWithoutChange({ kind, value: shown, found, end }: Operation, value: string | undefined): boolean {
  if (kind === 'read') return shown === value;
  return kind === 'clear' && end !== Infinity && found === false && value === undefined;
}

function changes({ kind, found, end }: Operation, value: string | undefined): boolean {
  if (kind === 'write') return true;
  return kind === 'clear' && value !== undefined && (end === Infinity || found === true);
}

const bit = (at: number): bigint => 1n << BigInt(at);

const canBeNext = (at: number, before: readonly bigint[], done: bigint): boolean => {
  const needed = before[at] ?? 0n;
  return (done & bit(at)) === 0n && (needed & done) === needed;
};

function maskOf(history: readonly Operation[], isIn: (operation: Operation) => boolean): bigint {
  return history.reduce((mask, operation, at) => (isIn(operation) ? mask | bit(at) : mask), 0n);
}
