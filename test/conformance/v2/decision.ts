import { isDeepStrictEqual } from 'node:util';
import type { Decision as RecordedDecision } from '../decision.ts';
import type { Exchange, Line, Observation } from './recording.ts';
import type { Outcome } from './replay.ts';

/** A recorded line of one kind, and the lines before it. */
export interface Recorded<Kind = Line> {
  readonly line: Line & Kind;
  readonly earlier: readonly Line[];
}

/**
 * A decision about a recorded response of Sensu Go that is wrong: it is a crash, loses data, allows unauthorized
 * access, or is late.
 */
export type Decision = RecordedDecision<Line>;

/** Creates a decision about a recorded request and its response. */
export function onRequest(
  isAbout: (request: Exchange, recorded: Recorded<Exchange>) => boolean,
  because: string,
  rightFor: (request: Exchange, recorded: Recorded<Exchange>) => unknown,
): Decision {
  return {
    isAbout: ({ line, earlier }) => line.kind === 'exchange' && isAbout(line, { line, earlier }),
    because,
    rightFor: ({ line, earlier }) => (line.kind === 'exchange' ? rightFor(line, { line, earlier }) : undefined),
  };
}

/** Creates a decision about an observation of a handler, an agent or a stored event. */
export function onObservation(
  isAbout: (seen: Observation, recorded: Recorded<Observation>) => boolean,
  because: string,
  rightFor: (seen: Observation, recorded: Recorded<Observation>) => unknown,
): Decision {
  return {
    isAbout: ({ line, earlier }) => line.kind === 'observation' && isAbout(line, { line, earlier }),
    because,
    rightFor: ({ line, earlier }) => (line.kind === 'observation' ? rightFor(line, { line, earlier }) : undefined),
  };
}

/** Returns the requests among the earlier lines. */
export function requestsBefore({ earlier }: Pick<Recorded, 'earlier'>): readonly (Line & Exchange)[] {
  return earlier.filter((line) => line.kind === 'exchange');
}

export function decisionFor(decisions: readonly Decision[], outcome: Outcome): Decision | undefined {
  return outcome.problems.length === 0 ? undefined : decisions.find(({ isAbout }) => isAbout(outcome));
}

/**
 * Compares the outcome of a line with the correct response.
 *
 * @returns the differences as text
 */
export function rightProblems({ rightFor }: Decision, outcome: Outcome): string[] {
  const right = rightFor(outcome);
  const { got } = outcome;
  return isLike(right, got) ? [] : [`the right answer is ${JSON.stringify(right)}, got ${JSON.stringify(got)}`];
}

/**
 * True if the actual value contains everything that the correct value contains; its objects may have more attributes.
 */
function isLike(right: unknown, got: unknown): boolean {
  if (Array.isArray(right)) {
    return Array.isArray(got) && right.length === got.length && right.every((item, index) => isLike(item, got[index]));
  }
  if (typeof right !== 'object' || right === null) return isDeepStrictEqual(right, got);
  if (typeof got !== 'object' || got === null) return false;
  return Object.entries(right).every(([name, value]) => isLike(value, (got as Record<string, unknown>)[name]));
}
