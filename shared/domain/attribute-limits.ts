import { DEPTH_MAX } from './json-text.ts';

/** What one client or result may bring along (security S7). */
export interface AttributeLimits {
  /** Bytes of JSON. */
  readonly bytes: number;
  /** Keys of each object. */
  readonly keys: number;
}

/** Which limit was passed, and for people what to do about it. */
export interface AttributeExcess {
  readonly limit: 'bytes' | 'keys' | 'depth' | 'integer';
  readonly message: string;
}

/** One character takes so many bytes of JSON at most: an escape. */
const CHARACTER_BYTES_MAX = 6;
/** A number takes so many. */
const NUMBER_BYTES_MAX = 24;

/** Of a result: its output is bounded by the request that brings it, and so are the points that agents measure. */
const FREE_IN_RESULTS: ReadonlySet<string> = new Set(['output', 'metrics']);
const NONE: ReadonlySet<string> = new Set();

/**
 * Whether a value is a whole number beyond 2^53, which is rounded when it is read, or an infinite one, which JSON
 * cannot say: another number would be stored than was sent (security S8).
 */
export function isInexact(value: unknown): boolean {
  return (
    typeof value === 'number' && !Number.isSafeInteger(value) && Number.isInteger(Number.isFinite(value) ? value : 0)
  );
}

export function excessOfResult(result: object, limits: AttributeLimits): AttributeExcess | undefined {
  return excessOf('result', result, limits, { free: FREE_IN_RESULTS, isExact: true });
}

/** @param noun what people call it */
export function excessOfClient(client: object, limits: AttributeLimits, noun = 'client'): AttributeExcess | undefined {
  return excessOf(noun, client, limits, { free: NONE, isExact: false });
}

/** Looks at each result that comes, so nearly all are told to be small enough without their JSON being made. */
function excessOf(
  noun: string,
  record: object,
  limits: AttributeLimits,
  rules: { readonly free: ReadonlySet<string>; readonly isExact: boolean },
): AttributeExcess | undefined {
  const bounds = { keysMax: limits.keys, isExact: rules.isExact };
  // What is small with all that is free is small, and what is free is asked for only where it matters.
  const whole = sizeOf(record, DEPTH_MAX, bounds);
  if (whole >= 0 && whole <= limits.bytes) return undefined;
  return excessWithout(noun, record, limits, bounds, rules.free);
}

function excessWithout(
  noun: string,
  record: object,
  limits: AttributeLimits,
  bounds: Bounds,
  free: ReadonlySet<string>,
): AttributeExcess | undefined {
  // What is far too large is not measured: that would take longer than anything else that is done with it.
  const far = FAR_BEYOND * limits.bytes;
  if (leastBytes(counted(record, free), far) > far) return tooLarge(noun, `more than ${String(far)}`, limits);
  const size = sizeOfCounted(record, bounds, free);
  if (size === INEXACT) {
    return { limit: 'integer', message: `the ${noun} holds a whole number beyond 2^53: put it in double quotes` };
  }
  if (size === TOO_DEEP) {
    return { limit: 'depth', message: `the ${noun} is nested deeper than ${String(DEPTH_MAX)} levels` };
  }
  if (size === TOO_MANY) {
    return {
      limit: 'keys',
      message: `the ${noun} holds an object of more than ${String(limits.keys)} keys: send fewer`,
    };
  }
  if (size <= limits.bytes) return undefined;
  const bytes = bytesOf(record, free);
  if (bytes <= limits.bytes) return undefined;
  return tooLarge(noun, String(bytes), limits);
}

/** The multiple of the limit beyond which bytes are not counted. */
const FAR_BEYOND = 4;

function tooLarge(noun: string, bytes: string, limits: AttributeLimits): AttributeExcess {
  return {
    limit: 'bytes',
    message: `the attributes of the ${noun} are ${bytes} bytes of JSON, ${String(limits.bytes)} may be: send less`,
  };
}

/** Bytes that the JSON of a value has at least; the count ends as soon as there are more than `enough`. */
function leastBytes(value: unknown, enough: number): number {
  if (typeof value === 'string') return value.length + 2;
  if (typeof value !== 'object' || value === null) return 1;
  let bytes = 2;
  for (const key in value) {
    if (bytes > enough) break;
    if (!Array.isArray(value)) bytes += key.length + 3;
    bytes += leastBytes((value as Readonly<Record<string, unknown>>)[key], enough - bytes);
  }
  return bytes;
}

const TOO_DEEP = -1;
const TOO_MANY = -2;
const INEXACT = -3;

interface Bounds {
  readonly keysMax: number;
  /** Whether whole numbers must be as they were written (security S8); else they are what somebody has measured. */
  readonly isExact: boolean;
}

/** Bytes that its JSON may have at most without what is free, or one of those above. */
function sizeOfCounted(record: object, bounds: Bounds, free: ReadonlySet<string>): number {
  // Only what is measured is free and has numbers.
  const freeBounds = { keysMax: bounds.keysMax, isExact: false };
  let total = 2;
  let keys = 0;
  for (const key in record) {
    if (++keys > bounds.keysMax) return TOO_MANY;
    const value = (record as Readonly<Record<string, unknown>>)[key];
    const isFree = free.has(key);
    const size = sizeOfValue(value, DEPTH_MAX, isFree ? freeBounds : bounds);
    if (size < 0) return size;
    if (!isFree) total += size + CHARACTER_BYTES_MAX * key.length + 4;
  }
  return total;
}

function sizeOf(value: object, levels: number, bounds: Bounds): number {
  if (levels === 0) return TOO_DEEP;
  let total = 2;
  if (Array.isArray(value)) {
    for (const item of value as readonly unknown[]) {
      const size = sizeOfValue(item, levels, bounds);
      if (size < 0) return size;
      total += size + 1;
    }
    return total;
  }
  let keys = 0;
  // Nothing is inherited by what was read from JSON.
  for (const key in value) {
    if (++keys > bounds.keysMax) return TOO_MANY;
    const size = sizeOfValue((value as Readonly<Record<string, unknown>>)[key], levels, bounds);
    if (size < 0) return size;
    total += size + CHARACTER_BYTES_MAX * key.length + 4;
  }
  return total;
}

function sizeOfValue(value: unknown, levels: number, bounds: Bounds): number {
  if (typeof value === 'string') return CHARACTER_BYTES_MAX * value.length + 2;
  if (typeof value === 'object' && value !== null) return sizeOf(value, levels - 1, bounds);
  return bounds.isExact && isInexact(value) ? INEXACT : NUMBER_BYTES_MAX;
}

/** Bytes of JSON of a result without what is free. */
export function bytesOfResult(result: object): number {
  return bytesOf(result, FREE_IN_RESULTS);
}

function bytesOf(record: object, free: ReadonlySet<string>): number {
  return utf8Length(JSON.stringify(counted(record, free)));
}

/** A record without what is free. */
function counted(record: object, free: ReadonlySet<string>): object {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !free.has(name)));
}

/** JSON has no lone surrogates: they are escaped in it. */
function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // Half of a pair takes two of its four bytes.
    if (code > 0x7f) bytes += code > 0x7ff && (code < 0xd800 || code > 0xdfff) ? 2 : 1;
  }
  return bytes;
}
