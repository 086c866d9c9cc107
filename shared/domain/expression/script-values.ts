import type { Pattern } from './pattern.ts';
import { isAttributes } from '../attributes.ts';

/**
 * An error that ends the evaluation of a script: JavaScript would throw there too, or a limit is exceeded.
 */
export class ScriptError extends Error {}

/** The result of `match` or `exec` in a script if the pattern matches. The matched text is not available. */
export class PatternMatch {
  readonly index: number;

  constructor(index = 0) {
    this.index = index;
  }
}

export class ScriptDate {
  readonly ms: number;

  constructor(ms: number) {
    this.ms = ms;
  }
}

export class ScriptPattern {
  readonly pattern: Pattern;

  constructor(pattern: Pattern) {
    this.pattern = pattern;
  }
}

/** A function that a script can call. */
export type ScriptFunction = (...args: readonly unknown[]) => unknown;

const TEXT_LENGTH_MAX = 64 * 1024;

export function isTruthyInScript(value: unknown): boolean {
  return !(
    value === undefined ||
    value === null ||
    value === false ||
    value === 0 ||
    value === '' ||
    Number.isNaN(value)
  );
}

/** Whether two values are equal by the `==` of JavaScript, which converts operands of different types. */
export function isLooselyEqual(one: unknown, other: unknown): boolean {
  if (one === null || one === undefined) return other === null || other === undefined;
  if (other === null || other === undefined) return false;
  if (typeof one === typeof other) return one === other;
  return toNumber(toPrimitive(one)) === toNumber(toPrimitive(other)) || toPrimitive(one) === toPrimitive(other);
}

export function toPrimitive(value: unknown): unknown {
  return typeof value === 'object' && value !== null ? (value instanceof ScriptDate ? value.ms : toText(value)) : value;
}

export function toNumber(value: unknown): number {
  const plain = toPrimitive(value);
  return plain === undefined ? Number.NaN : Number(plain);
}

export function toText(value: unknown): string {
  if (Array.isArray(value))
    return boundText(value.map((item) => ((item ?? null) === null ? '' : toText(item))).join(','));
  if (value instanceof ScriptDate) return new Date(value.ms).toISOString();
  if (isAttributes(value)) return '[object Object]';
  return typeof value === 'object' && value !== null ? '[object Object]' : String(value);
}

/**
 * Returns a text that an operation of a script produced, after a check of its length.
 *
 * @throws ScriptError if the text is too long
 */
export function boundText(text: string): string {
  if (text.length > TEXT_LENGTH_MAX) {
    throw new ScriptError(`the expression produces more than ${String(TEXT_LENGTH_MAX)} characters`);
  }
  return text;
}

export function typeName(value: unknown): string {
  if (value instanceof ScriptPattern || value === null || Array.isArray(value)) return 'object';
  return typeof value;
}
