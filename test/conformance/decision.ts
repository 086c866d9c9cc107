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
  /** True if the decision applies to this line. */
  readonly isAbout: (recorded: Recorded<Line>) => boolean;
  /** The reason why the recorded response is wrong. */
  readonly because: string;
  /** The correct response instead of the recorded one, as far as it is known. */
  readonly rightFor: (recorded: Recorded<Line>) => Right;
}

/** Returns the value at a path of a recorded body; undefined if there is none. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (part, name) => (typeof part === 'object' && part !== null ? (part as Record<string, unknown>)[name] : undefined),
    value,
  );
}

/** Returns the items of a recorded list; empty if it is not a list. */
export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
