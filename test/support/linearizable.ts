/** An operation of one client on one key, with its times on a single clock. */
export interface Operation {
  /** `write`: a value; `clear`: removes any value; `read`. */
  readonly kind: 'write' | 'clear' | 'read';
  /** Index of the backend. */
  readonly member: number;
  /** The value that was written or read; `undefined` if there was none or, for `clear`, if it is unknown. */
  readonly value?: string | undefined;
  /** Only for `clear`: whether a value existed. */
  readonly found?: boolean;
  /** Only for `read`: true if the backend was the leader at that time, which knows all acknowledged writes. */
  readonly isAtWriter?: boolean;
  /**
   * Times of request and response. `Infinity` if it is unknown whether it was or will be done; only for `write`
   * and `clear`.
   */
  readonly begin: number;
  readonly end: number;
}

/** The completed operations, and the resulting value. */
interface Place {
  readonly done: bigint;
  readonly value: string | undefined;
}

/**
 * Returns whether a history of one key, which begins without a value, is allowed (docs/scale-out.md). It is if
 * all changes have an order that fits their times. Each read must show the state after a prefix of that order.
 * The prefix must include all that was acknowledged and read earlier through the same backend.
 *
 * The search tries each possible next operation, like Wing and Gong. Operations without effect come as early as
 * possible, which excludes no valid order.
 */
export function isLinearizable(history: readonly Operation[]): boolean {
  const before = history.map((one) => maskOf(history, (other) => precedes(other, one)));
  const owed = maskOf(history, ({ end }) => end !== Infinity);
  const seen = new Set<string>();
  const waiting: Place[] = [{ done: 0n, value: undefined }];
  for (let place = waiting.pop(); place !== undefined; place = waiting.pop()) {
    const { done, value } = withAllThatChangeNothing(history, before, place);
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

/** Returns whether every allowed order has `one` before `other`. */
function precedes(one: Operation, other: Operation): boolean {
  if (one.end >= other.begin) return false;
  if (other.kind !== 'read' || (one.kind !== 'read' && other.isAtWriter === true)) return true;
  // A backend may not know yet which requests another one has answered.
  return one.member === other.member || (one.isAtWriter === true && other.isAtWriter === true);
}

function withAllThatChangeNothing(
  history: readonly Operation[],
  before: readonly bigint[],
  { done: first, value }: Place,
): Place {
  let done = first;
  for (let last = -1n; last !== done;) {
    last = done;
    for (const [at, operation] of history.entries()) {
      if (canBeNext(at, before, done) && showsThatItIs(operation, value)) done |= bit(at);
    }
  }
  return { done, value };
}

/** Returns whether the operation fits this value and does not change it. */
function showsThatItIs({ kind, value: shown, found, end }: Operation, value: string | undefined): boolean {
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
