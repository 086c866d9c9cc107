import { isAttributes } from '../attributes.ts';

/** The reason why an expression has no value. If an operand is a failure, an operation returns that failure. */
export class EvaluationFailure {
  readonly message: string;

  constructor(message: string) {
    this.message = message;
  }
}

/** A range `first..last`, both ends included. */
export class NumberRange {
  readonly first: number;
  readonly last: number;

  constructor(first: number, last: number) {
    this.first = first;
    this.last = last;
  }
}

/** A point in time, with the time zone that decides its hour, day and so on. */
export class ZonedTime {
  readonly epochSeconds: number;
  readonly zone: string;

  constructor(epochSeconds: number, zone: string) {
    this.epochSeconds = epochSeconds;
    this.zone = zone;
  }
}

/** Maximum length of a text that an expression produces (completion 1.9). */
const TEXT_LENGTH_MAX = 64 * 1024;

/** Maximum depth to which nested values are compared. Deeper ones are unequal, but no accepted value is that deep. */
const DEPTH_MAX = 64;

/** Whether a value counts as true. As in Ruby, only nil (null or undefined) and false do not. */
export function isTruthy(value: unknown): boolean {
  return value !== null && value !== undefined && value !== false;
}

/** Whether two values are deeply equal. */
export function isEqual(one: unknown, other: unknown, depth = 0): boolean {
  if (one === other) return true;
  if (depth >= DEPTH_MAX) return false;
  if (Array.isArray(one)) {
    return (
      Array.isArray(other) &&
      one.length === other.length &&
      one.every((item, index) => isEqual(item, other[index], depth + 1))
    );
  }
  if (one instanceof NumberRange) {
    return other instanceof NumberRange && one.first === other.first && one.last === other.last;
  }
  if (one instanceof ZonedTime) return other instanceof ZonedTime && one.epochSeconds === other.epochSeconds;
  if (!isAttributes(one) || !isAttributes(other)) return false;
  const names = Object.keys(one);
  return (
    names.length === Object.keys(other).length &&
    names.every((name) => Object.hasOwn(other, name) && isEqual(one[name], other[name], depth + 1))
  );
}

/** Returns the text that an operation produced, or a failure if it is too long. */
export function textOrFailure(text: string): string | EvaluationFailure {
  return text.length > TEXT_LENGTH_MAX
    ? new EvaluationFailure(`the expression produces more than ${String(TEXT_LENGTH_MAX)} characters`)
    : text;
}

/** Returns the number that an operation produced, or a failure if it is infinite or not a number. */
export function numberOrFailure(value: number): number | EvaluationFailure {
  return Number.isFinite(value) ? value : new EvaluationFailure('produces a number that is too large');
}

/** Returns the kind of a value as a noun phrase for people. */
export function kindText(value: unknown): string {
  if (value === null || value === undefined) return 'nil';
  if (Array.isArray(value)) return 'a list';
  if (value instanceof NumberRange) return 'a range';
  if (value instanceof ZonedTime) return 'a time';
  switch (typeof value) {
    case 'string':
      return 'a text';
    case 'number':
      return 'a number';
    case 'boolean':
      return String(value);
    default:
      return 'an object';
  }
}
