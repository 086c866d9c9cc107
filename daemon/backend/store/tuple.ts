import { MonError } from '../../../shared/errors.ts';
import type { Key } from '../ports.ts';

/**
 * The encoding of keys for LevelDB. The encoded text is unique for each tuple, and its UTF-8 bytes sort as the tuples
 * do, part by part.
 *
 * - A number is one character, whose code is the count of digits, and then its digits. So a longer number sorts after a
 *   shorter number.
 * - A string is `!`, its characters, and U+0000 as its end. Inside the string U+0000 is written as U+0001 U+0001, and
 *   U+0001 as U+0001 U+0002. So the end is always the smallest character, and "a" sorts before "ab".
 *
 * Every part marks its end. So an encoded tuple begins with an encoded prefix exactly if the tuple itself starts with
 * the parts of that prefix.
 */
const STRING_TAG = '!';
const STRING_TAG_CODE = STRING_TAG.charCodeAt(0);
const STRING_END = '\u0000';
const ESCAPE_CHARACTER = '\u0001';

/** A character that sorts after the first character of every encoded part. */
const UPPER_BOUND_CHARACTER = '"';

const DIGITS_MAX = String(Number.MAX_SAFE_INTEGER).length;
const DIGIT_COUNTS = Array.from({ length: DIGITS_MAX + 1 }, (_, count) => String.fromCharCode(count));

/**
 * Matches every character that needs escaping or validation. One expression tests for both, because a key is encoded
 * for each result, and that must be fast.
 */
const ESCAPABLE_OR_SURROGATE = /[\u0000\u0001\uD800-\uDFFF]/;

// The control characters U+0000 and U+0001 are intended: the encoding uses them.
const ESCAPABLE_CHARACTERS = /[\u0000\u0001]/g;
const ESCAPED_PAIRS = /\u0001[\u0001\u0002]/g;

/**
 * Encodes a key for LevelDB.
 *
 * @param key strings of well-formed Unicode and integers from 0 to 2^53 - 1
 * @throws MonError `invalid` for any other part. A lone surrogate has no UTF-8 form, so two keys with one could become
 *   the same key.
 */
export function encodeTuple(key: Key): string {
  let encoded = '';
  for (const part of key) encoded += typeof part === 'string' ? encodeString(part) : encodeNumber(part);
  return encoded;
}

/**
 * Returns the parts of an encoded key.
 *
 * @throws MonError `internal` for text that `encodeTuple` does not produce, which means that another program wrote the
 *   key
 */
export function decodeTuple(encoded: string): (string | number)[] {
  const parts: (string | number)[] = [];
  let at = 0;
  while (at < encoded.length) {
    const tag = encoded.charCodeAt(at++);
    if (tag === STRING_TAG_CODE) {
      const end = encoded.indexOf(STRING_END, at);
      if (end === -1) throw notATuple(encoded);
      const text = encoded.slice(at, end);
      parts.push(text.includes(ESCAPE_CHARACTER) ? text.replace(ESCAPED_PAIRS, unescapePair) : text);
      at = end + 1;
    } else {
      const digits = encoded.slice(at, at + tag);
      const value = Number(digits);
      if (digits.length !== tag || String(value) !== digits) throw notATuple(encoded);
      parts.push(value);
      at += tag;
    }
  }
  return parts;
}

/** Returns the range of encoded keys that start with the parts of `prefix`, including `prefix` itself. */
export function tupleRange(prefix: Key): { readonly gte: string; readonly lt: string } {
  const encoded = encodeTuple(prefix);
  return { gte: encoded, lt: encoded + UPPER_BOUND_CHARACTER };
}

function encodeString(text: string): string {
  if (!ESCAPABLE_OR_SURROGATE.test(text)) return STRING_TAG + text + STRING_END;
  if (!text.isWellFormed()) {
    throw new MonError('invalid', 'a store key must be well-formed Unicode, but contains an unpaired surrogate');
  }
  return STRING_TAG + text.replace(ESCAPABLE_CHARACTERS, escapeCharacter) + STRING_END;
}

function encodeNumber(value: number): string {
  if (!Number.isSafeInteger(value) || value < 0) {
    throw new MonError(
      'invalid',
      `a number in a store key must be an integer from 0 to 2^53 - 1, not ${String(value)}`,
    );
  }
  const digits = String(value);
  return `${DIGIT_COUNTS[digits.length] ?? ''}${digits}`;
}

const escapeCharacter = (character: string): string =>
  ESCAPE_CHARACTER + (character === STRING_END ? '\u0001' : '\u0002');

const unescapePair = (pair: string): string => (pair === '\u0001\u0001' ? STRING_END : ESCAPE_CHARACTER);

function notATuple(encoded: string): MonError {
  return new MonError('internal', `the store contains a key that mon did not write: ${JSON.stringify(encoded)}`);
}
