import { encodeTuple } from './tuple.ts';

/**
 * An amendable value is a stored value that is split into parts. Changed parts can be stored in a separate entry, the
 * amendment, so that the whole value need not be written again.
 *
 * An amendable value is stored as U+0001, its stamp (an id that each version of the value has), the lengths of its
 * parts and the parts. Its amendment is stored under the same key, extended by one component: U+0002, the stamp of the
 * value that it changes, the lengths and the changed parts. All other values in the store are JSON and begin with
 * neither character. An amendment is valid only for the value with the same stamp. So a write that replaces the value
 * need not delete the amendment.
 */
const AMENDABLE_CHARACTER_CODE = 1;
const AMENDMENT_CHARACTER_CODE = 2;
const AMENDABLE_MARK = String.fromCharCode(AMENDABLE_CHARACTER_CODE);
const AMENDMENT_MARK = String.fromCharCode(AMENDMENT_CHARACTER_CODE);

const STAMP_END = ' ';
const HEAD_END = '\n';
/**
 * Placeholder for the length of an unchanged part in an amendment, which contains only the changed parts of a value.
 */
const UNCHANGED_MARK = '-';
const UNCHANGED_CHARACTER_CODE = UNCHANGED_MARK.charCodeAt(0);
const ZERO_CHARACTER_CODE = '0'.charCodeAt(0);
const NINE_CHARACTER_CODE = '9'.charCodeAt(0);

/** Suffix that turns the encoded key of a value into the key of its amendment, the stored difference to that value. */
export const AMENDMENT_SUFFIX = encodeTuple([0]);

/**
 * The first component of all keys whose values can have an amendment (a stored difference to the value). A deletion of
 * any other key need not delete an amendment.
 */
export const AMENDABLE_PREFIX = 'check';

const AMENDABLE_KEYS = encodeTuple([AMENDABLE_PREFIX]);

/** True if an encoded key is the key of an amendment, the stored difference to another value. */
export function isAmendmentKey(key: string): boolean {
  return key.endsWith(AMENDMENT_SUFFIX) && key.startsWith(AMENDABLE_KEYS);
}

/**
 * Encodes a value so that single parts of it can be replaced later.
 *
 * @param stamp id of this version of the value: unique among all values ever stored under the same key, without blanks
 */
export function encodeAmendable(stamp: string, parts: readonly string[]): string {
  return `${AMENDABLE_MARK}${stamp}${STAMP_END}${parts.map(({ length }) => length).join()}${HEAD_END}${parts.join('')}`;
}

/**
 * Encodes an amendment, the changed parts of a stored value. It runs for most incoming results, so it builds no array
 * of lengths.
 *
 * @param stamp the stamp (version id) of the value that the amendment changes
 * @param parts the new text of each part; undefined for an unchanged part
 */
export function encodeAmendment(stamp: string, parts: readonly (string | undefined)[]): string {
  let lengths = '';
  let text = '';
  for (const part of parts) {
    if (part === undefined) lengths += `,${UNCHANGED_MARK}`;
    else {
      lengths += `,${String(part.length)}`;
      text += part;
    }
  }
  return `${AMENDMENT_MARK}${stamp}${STAMP_END}${lengths.slice(1)}${HEAD_END}${text}`;
}

export function isAmendable(value: string): boolean {
  return value.charCodeAt(0) === AMENDABLE_CHARACTER_CODE;
}

export function isAmendment(value: string): boolean {
  return value.charCodeAt(0) === AMENDMENT_CHARACTER_CODE;
}

/**
 * Returns the text of a stored value with its amendment applied.
 *
 * @param amendment the stored difference to the value; undefined if there is none. It is ignored if its stamp (version
 *   id) differs from that of `value`.
 */
export function applyAmendment(value: string, amendment?: string): string {
  if (!isAmendable(value)) return value;
  let from = value.indexOf(HEAD_END) + 1;
  if (amendment === undefined || !hasStampOf(amendment, value)) return value.slice(from);
  let amendedFrom = amendment.indexOf(HEAD_END) + 1;
  const lengths = new PartLengthReader(value);
  const amended = new PartLengthReader(amendment);
  // The pieces are joined at the end, because a string built with `+` is copied again when it is first read. Adjacent
  // unchanged parts form one piece.
  const pieces: string[] = [];
  let end = from;
  while (lengths.hasMore) {
    const length = amended.next();
    const next = end + lengths.next();
    if (length !== UNCHANGED_LENGTH) {
      if (from < end) pieces.push(value.slice(from, end));
      pieces.push(amendment.slice(amendedFrom, (amendedFrom += length)));
      from = next;
    }
    end = next;
  }
  if (from < end) pieces.push(value.slice(from, end));
  return pieces.join('');
}

function hasStampOf(amendment: string, value: string): boolean {
  const end = value.indexOf(STAMP_END) + 1;
  return amendment.startsWith(value.slice(1, end), 1);
}

const UNCHANGED_LENGTH = -1;

/**
 * Reads the lengths of the parts in the header of a stored value or of its amendment, one after another. It parses them
 * digit by digit, because that is fast: a starting backend reads the lengths of all results.
 */
class PartLengthReader {
  readonly #text: string;
  #position: number;

  constructor(text: string) {
    this.#text = text;
    this.#position = text.indexOf(STAMP_END) + 1;
  }

  get hasMore(): boolean {
    return this.#text[this.#position - 1] !== HEAD_END;
  }

  /** @returns the length of the next part; `UNCHANGED_LENGTH` if the part is unchanged */
  next(): number {
    const text = this.#text;
    let length = 0;
    for (;;) {
      const character = text.charCodeAt(this.#position++);
      if (character === UNCHANGED_CHARACTER_CODE) length = UNCHANGED_LENGTH;
      else if (character < ZERO_CHARACTER_CODE || character > NINE_CHARACTER_CODE) return length;
      else length = 10 * length + character - ZERO_CHARACTER_CODE;
    }
  }
}
