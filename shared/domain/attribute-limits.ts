import { DEPTH_MAX } from './json-text.ts';

/** Limits on the attributes of one client or result (security S7). */
export interface AttributeLimits {
  /** Maximum size of the JSON, in bytes. */
  readonly bytes: number;
  /** Maximum number of keys of each object. */
  readonly keys: number;
}

/** The limit that was exceeded, with a message that says what to do about it. */
export interface AttributeExcess {
  readonly limit: 'bytes' | 'keys' | 'depth' | 'integer';
  readonly message: string;
}

/** Maximum number of bytes that one character takes in JSON, as an escape sequence. */
const CHARACTER_BYTES_MAX = 6;
/** Maximum number of bytes that a number takes in JSON. */
const NUMBER_BYTES_MAX = 24;

/** Attributes of a result that do not count toward its size limit. The limit on the request size bounds them. */
const FREE_IN_RESULTS: ReadonlySet<string> = new Set(['output', 'metrics']);
const NO_FREE_ATTRIBUTES: ReadonlySet<string> = new Set();

/**
 * Whether a value is an integer beyond 2^53 or infinite. JSON rounds such an integer and cannot express infinity, so
 * the stored number would differ from the sent one (security S8).
 */
export function isInexact(value: unknown): boolean {
  return (
    typeof value === 'number' && !Number.isSafeInteger(value) && Number.isInteger(Number.isFinite(value) ? value : 0)
  );
}

export function excessOfResult(result: object, limits: AttributeLimits): AttributeExcess | undefined {
  return excessOf('result', result, limits, { free: FREE_IN_RESULTS, isExact: true });
}

/** @param noun the word for the client in error messages */
export function excessOfClient(client: object, limits: AttributeLimits, noun = 'client'): AttributeExcess | undefined {
  return excessOf(noun, client, limits, { free: NO_FREE_ATTRIBUTES, isExact: false });
}

/**
 * Returns the limit that a record exceeds; undefined if it fits. It runs for each incoming result, so it estimates the
 * size first, without building JSON.
 */
function excessOf(
  noun: string,
  record: object,
  limits: AttributeLimits,
  rules: { readonly free: ReadonlySet<string>; readonly isExact: boolean },
): AttributeExcess | undefined {
  const bounds = { keysMax: limits.keys, isExact: rules.isExact };
  // A record that fits with its uncounted (`free`) attributes also fits without them. For most records this estimate is
  // the only step.
  const size = sizeOf(record, DEPTH_MAX, bounds);
  if (size >= 0 && size <= limits.bytes) return undefined;
  return excessWithout(noun, record, limits, bounds, rules.free);
}

function excessWithout(
  noun: string,
  record: object,
  limits: AttributeLimits,
  bounds: Bounds,
  free: ReadonlySet<string>,
): AttributeExcess | undefined {
  // A record that is far too large is not measured exactly, because that would take too long.
  const far = MEASURED_LIMIT_FACTOR * limits.bytes;
  if (leastBytes(countedAttributes(record, free), far) > far) return tooLarge(noun, `more than ${String(far)}`, limits);
  const size = sizeOfCounted(record, bounds, free);
  if (size === INEXACT_SIZE) {
    return { limit: 'integer', message: `the ${noun} contains a whole number beyond 2^53: put it in double quotes` };
  }
  if (size === TOO_DEEP_SIZE) {
    return { limit: 'depth', message: `the ${noun} is nested deeper than ${String(DEPTH_MAX)} levels` };
  }
  if (size === TOO_MANY_SIZE) {
    return {
      limit: 'keys',
      message: `the ${noun} contains an object with more than ${String(limits.keys)} fields: send fewer fields`,
    };
  }
  if (size <= limits.bytes) return undefined;
  const bytes = bytesOf(record, free);
  if (bytes <= limits.bytes) return undefined;
  return tooLarge(noun, String(bytes), limits);
}

/** Multiple of the byte limit above which the exact size of a record is not measured. */
const MEASURED_LIMIT_FACTOR = 4;

function tooLarge(noun: string, bytes: string, limits: AttributeLimits): AttributeExcess {
  return {
    limit: 'bytes',
    message: `the attributes of the ${noun} take ${bytes} bytes as JSON, but at most ${String(limits.bytes)} are allowed: send less`,
  };
}

/** Returns a lower bound for the JSON size of a value, in bytes. Counting stops once the size exceeds `enough`. */
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

const TOO_DEEP_SIZE = -1;
const TOO_MANY_SIZE = -2;
const INEXACT_SIZE = -3;

interface Bounds {
  readonly keysMax: number;
  /** Whether all integers must be exact (security S8). */
  readonly isExact: boolean;
}

/**
 * Returns an upper bound for the JSON size of a record without its uncounted (`free`) attributes, or `TOO_DEEP_SIZE`,
 * `TOO_MANY_SIZE` or `INEXACT_SIZE`.
 */
function sizeOfCounted(record: object, bounds: Bounds, free: ReadonlySet<string>): number {
  // Metrics are the only uncounted attributes with numbers, and measured values need not be exact.
  const freeBounds = { keysMax: bounds.keysMax, isExact: false };
  let total = 2;
  let keys = 0;
  for (const key in record) {
    if (++keys > bounds.keysMax) return TOO_MANY_SIZE;
    const value = (record as Readonly<Record<string, unknown>>)[key];
    const isFree = free.has(key);
    const size = sizeOfValue(value, DEPTH_MAX, isFree ? freeBounds : bounds);
    if (size < 0) return size;
    if (!isFree) total += size + CHARACTER_BYTES_MAX * key.length + 4;
  }
  return total;
}

function sizeOf(value: object, levels: number, bounds: Bounds): number {
  if (levels === 0) return TOO_DEEP_SIZE;
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
  // Values parsed from JSON inherit no enumerable properties.
  for (const key in value) {
    if (++keys > bounds.keysMax) return TOO_MANY_SIZE;
    const size = sizeOfValue((value as Readonly<Record<string, unknown>>)[key], levels, bounds);
    if (size < 0) return size;
    total += size + CHARACTER_BYTES_MAX * key.length + 4;
  }
  return total;
}

function sizeOfValue(value: unknown, levels: number, bounds: Bounds): number {
  if (typeof value === 'string') return CHARACTER_BYTES_MAX * value.length + 2;
  if (typeof value === 'object' && value !== null) return sizeOf(value, levels - 1, bounds);
  return bounds.isExact && isInexact(value) ? INEXACT_SIZE : NUMBER_BYTES_MAX;
}

/** Returns the JSON size of a result in bytes, without the attributes that are not counted. */
export function bytesOfResult(result: object): number {
  return bytesOf(result, FREE_IN_RESULTS);
}

function bytesOf(record: object, free: ReadonlySet<string>): number {
  return utf8Length(JSON.stringify(countedAttributes(record, free)));
}

/** Returns a record without its uncounted (`free`) attributes. */
function countedAttributes(record: object, free: ReadonlySet<string>): object {
  return Object.fromEntries(Object.entries(record).filter(([name]) => !free.has(name)));
}

/** Returns the UTF-8 length of JSON text, which escapes lone surrogates. */
function utf8Length(text: string): number {
  let bytes = text.length;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    // Each half of a surrogate pair counts as two bytes; the pair takes four bytes in UTF-8.
    if (code > 0x7f) bytes += code > 0x7ff && (code < 0xd800 || code > 0xdfff) ? 2 : 1;
  }
  return bytes;
}
