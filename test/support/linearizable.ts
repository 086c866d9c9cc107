/** What one client asked of one key, of which there is a value or none, and when by one clock. */
export interface Operation {
  /** `write`: a value; `clear`: whatever is there; `read`. */
  readonly kind: 'write' | 'clear' | 'read';
  /** Through which backend. */
  readonly member: number;
  /** What was written or read; undefined: nothing was there, or, of `clear`, whatever it was. */
  readonly value?: string | undefined;
  /** Of `clear`: whether something was there. */
  readonly found?: boolean;
  /** Of `read`: of a backend that wrote at that time, which knows all that was acknowledged anywhere. */
  readonly isAtWriter?: boolean;
  /** When it was asked for, and answered. `Infinity`: nobody knows whether it was done, or will be; only of `write` and `clear`. */
  readonly begin: number;
  readonly end: number;
}

/** The operations that were done, and what is there afterwards. */
interface Place {
  readonly done: bigint;
  readonly value: string | undefined;
}

/**
 * Whether a history of one key, which begins with nothing, is one of those that are promised (docs/scale-out.md): there is an
 * order of all changes that fits their times, and each read shows what is there after a part of it that ends no earlier than
 * what was acknowledged and read before through the same backend.
 *
 * Of an order it is tried what can come next, as Wing and Gong do; what changes nothing comes as early as it can, which takes
 * no possibility away.
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

/** Whether every order that is promised has `one` before `other`. */
function precedes(one: Operation, other: Operation): boolean {
  if (one.end >= other.begin) return false;
  if (other.kind !== 'read' || (one.kind !== 'read' && other.isAtWriter === true)) return true;
  // What another backend has answered may not be known to this one yet.
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

/** Whether it can be where there is this value, and leaves it. */
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
