import { encodeTuple } from './tuple.ts';

/**
 * Amendable values: some parts of such a value can be replaced by a separate entry, its amendment. So a value that
 * changed little need not be written again.
 *
 * An amendable value is stored as U+0001, its stamp, the lengths of its parts and the parts. Its amendment is stored
 * under the same key with one more part: U+0002, the stamp of the value it amends, the lengths and the changed parts.
 * All other values in the store are JSON and begin with neither character. An amendment is valid only for the value
 * with its stamp. So a write that replaces an amended value need not delete the amendment.
 */
const AMENDABLE_CODE = 1;
const AMENDMENT_CODE = 2;
const AMENDABLE = String.fromCharCode(AMENDABLE_CODE);
const AMENDMENT = String.fromCharCode(AMENDMENT_CODE);

const STAMP_END = ' ';
const HEAD_END = '\n';
/** Written in an amendment instead of the length of a part that is unchanged. */
const KEPT = '-';
const KEPT_CODE = KEPT.charCodeAt(0);
const ZERO_CODE = '0'.charCodeAt(0);
const NINE_CODE = '9'.charCodeAt(0);

/** The last part of the encoded key of an amendment, appended to the encoded key of the value that it amends. */
export const AMENDMENT_SUFFIX = encodeTuple([0]);

/**
 * The first part of all keys whose values can be amended. So a deletion of any other key need not delete an amendment.
 */
export const AMENDABLE_PREFIX = 'check';

const AMENDABLE_KEYS = encodeTuple([AMENDABLE_PREFIX]);

/** True if an encoded key is the key of an amendment. */
export function isAmendmentKey(key: string): boolean {
  return key.endsWith(AMENDMENT_SUFFIX) && key.startsWith(AMENDABLE_KEYS);
}

/**
 * Encodes an amendable value.
 *
 * @param stamp unique among all values that are ever stored under the same key; contains no blanks
 */
export function amendableText(stamp: string, parts: readonly string[]): string {
  return `${AMENDABLE}${stamp}${STAMP_END}${parts.map(({ length }) => length).join()}${HEAD_END}${parts.join('')}`;
}

/**
 * Encodes an amendment. It is called for most results that arrive, so it avoids building an array of lengths.
 *
 * @param stamp the stamp of the value that is amended
 * @param parts the new text of each part; undefined: the part is unchanged
 */
export function amendmentText(stamp: string, parts: readonly (string | undefined)[]): string {
  let lengths = '';
  let text = '';
  for (const part of parts) {
    if (part === undefined) lengths += `,${KEPT}`;
    else {
      lengths += `,${String(part.length)}`;
      text += part;
    }
  }
  return `${AMENDMENT}${stamp}${STAMP_END}${lengths.slice(1)}${HEAD_END}${text}`;
}

export function isAmendable(value: string): boolean {
  return value.charCodeAt(0) === AMENDABLE_CODE;
}

export function isAmendment(value: string): boolean {
  return value.charCodeAt(0) === AMENDMENT_CODE;
}

/**
 * Returns the text of a stored value with its amendment applied.
 *
 * @param amendment the stored amendment, which is ignored if it has another stamp than `value`; undefined: there is
 *   none
 */
export function amendedText(value: string, amendment?: string): string {
  if (!isAmendable(value)) return value;
  let from = value.indexOf(HEAD_END) + 1;
  if (amendment === undefined || !hasStampOf(amendment, value)) return value.slice(from);
  let amendedFrom = amendment.indexOf(HEAD_END) + 1;
  const lengths = new Lengths(value);
  const amended = new Lengths(amendment);
  // The pieces are joined at the end, because a string built with `+` is copied again when it is first read. Adjacent
  // unchanged parts form one piece.
  const pieces: string[] = [];
  let end = from;
  while (lengths.isLeft) {
    const length = amended.next();
    const next = end + lengths.next();
    if (length !== KEPT_LENGTH) {
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

const KEPT_LENGTH = -1;

/**
 * Reads the lengths in the head of a value or of an amendment, one after another. It parses them digit by digit, which
 * is fast: a start reads the lengths of all results.
 */
class Lengths {
  readonly #text: string;
  #at: number;

  constructor(text: string) {
    this.#text = text;
    this.#at = text.indexOf(STAMP_END) + 1;
  }

  get isLeft(): boolean {
    return this.#text[this.#at - 1] !== HEAD_END;
  }

  /** @returns the next length; `KEPT_LENGTH` if the part is unchanged */
  next(): number {
    const text = this.#text;
    let length = 0;
    for (;;) {
      const character = text.charCodeAt(this.#at++);
      if (character === KEPT_CODE) length = KEPT_LENGTH;
      else if (character < ZERO_CODE || character > NINE_CODE) return length;
      else length = 10 * length + character - ZERO_CODE;
    }
  }
}
