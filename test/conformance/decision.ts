/** A recorded line, with those that came before it on the same backend. */
export interface Recorded<Line> {
  readonly line: Line;
  readonly earlier: readonly Line[];
}

/**
 * A kind of difference from a recorded peer that is intended. It is defined by the request and its cause, so that it
 * also holds for other recordings of that kind, and never by the place of a line in a recording.
 */
export interface Decision<Line, Right = unknown> {
  /** True if the decision is about this line. */
  readonly isAbout: (recorded: Recorded<Line>) => boolean;
  /** Why the recorded answer is wrong. */
  readonly because: string;
  /** The right answer in place of the recorded one, as far as it is known. */
  readonly rightFor: (recorded: Recorded<Line>) => Right;
}

/** The value at a path of a recorded body; undefined where there is none. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (part, name) => (typeof part === 'object' && part !== null ? (part as Record<string, unknown>)[name] : undefined),
    value,
  );
}

/** The items of a recorded list; none where there is no list. */
export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
