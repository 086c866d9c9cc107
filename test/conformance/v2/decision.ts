import { isDeepStrictEqual } from 'node:util';
import type { Outcome } from './replay.ts';

/** Where we differ from the recorded peer on purpose. */
export interface Decision {
  /** `GROUP/CASE`, all that match. */
  readonly case: string | RegExp;
  /** Lines of that case, from 1; absent: all that are about `what`. */
  readonly lines?: readonly number[];
  /** The expression, or method and path; absent: whatever they are about. */
  readonly what?: string | RegExp;
  /** The recorded answer is a crash, loses data, lets somebody in who must stay out, or lags. */
  readonly because: string;
  /** What is right instead, as far as it says something. */
  readonly right: unknown;
}

export function decisionFor(decisions: readonly Decision[], outcome: Outcome): Decision | undefined {
  if (outcome.problems.length === 0) return undefined;
  return decisions.find(
    (decision) =>
      matches(decision.case, outcome.case) &&
      (decision.lines === undefined || decision.lines.includes(outcome.line)) &&
      (decision.what === undefined || matches(decision.what, outcome.what)),
  );
}

/** @returns what is different from the right answer, in words */
export function rightProblems({ right }: Decision, { got }: Outcome): string[] {
  return isLike(right, got) ? [] : [`the right answer is ${JSON.stringify(right)}, got ${JSON.stringify(got)}`];
}

/** Objects may have more than what is said of them. */
function isLike(right: unknown, got: unknown): boolean {
  if (Array.isArray(right)) {
    return Array.isArray(got) && right.length === got.length && right.every((item, at) => isLike(item, got[at]));
  }
  if (typeof right !== 'object' || right === null) return isDeepStrictEqual(right, got);
  if (typeof got !== 'object' || got === null) return false;
  return Object.entries(right).every(([name, value]) => isLike(value, (got as Record<string, unknown>)[name]));
}

function matches(wanted: string | RegExp, text: string): boolean {
  return typeof wanted === 'string' ? wanted === text : wanted.test(text);
}
