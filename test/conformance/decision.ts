/** A recorded line, and the lines before it that were replayed on the same backend. */
export interface Recorded<Line> {
  readonly line: Line;
  readonly earlier: readonly Line[];
}

/**
 * A kind of intended difference from a recorded peer. It is defined by the request and its cause, not by the position
 * of a line, so that it also applies to other recordings.
 */
export interface Decision<Line, Right = unknown> {
  /** True if the decision applies to this line. */
  readonly isAbout: (recorded: Recorded<Line>) => boolean;
  /** The reason why the recorded response is wrong. */
  readonly because: string;
  /** Returns the correct response, as far as it is known. */
  readonly rightFor: (recorded: Recorded<Line>) => Right;
}

/** Returns the value at a path in a recorded body; `undefined` if there is none. */
export function at(value: unknown, ...path: readonly string[]): unknown {
  return path.reduce<unknown>(
    (part, name) => (typeof part === 'object' && part !== null ? (part as Record<string, unknown>)[name] : undefined),
    value,
  );
}

/** Returns the items of a recorded list; empty if the value is not a list. */
export function itemsOf(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}
