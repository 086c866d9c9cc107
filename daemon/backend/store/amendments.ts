/**
 * Values in parts of which some may be replaced beside the whole, so that what is mostly as before need not be written again.
 *
 * An amendable value is stored as U+0001, its stamp, the lengths of its parts and the parts; its amendment, under the key with
 * one more part, as U+0002, the stamp of what it amends, lengths and those parts that are others. What the store holds beside
 * those is JSON and begins with neither. An amendment counts for the value with its stamp only, so that whatever is written
 * in the place of an amended value needs to know nothing of the amendment.
 */
const AMENDABLE_CODE = 1;
const AMENDMENT_CODE = 2;
const AMENDABLE = String.fromCharCode(AMENDABLE_CODE);
const AMENDMENT = String.fromCharCode(AMENDMENT_CODE);

const STAMP_END = ' ';
const HEAD_END = '\n';
/** In the place of a length: this part is as it was. */
const KEPT = '-';
const KEPT_CODE = KEPT.charCodeAt(0);
const ZERO_CODE = '0'.charCodeAt(0);
const NINE_CODE = '9'.charCodeAt(0);

/** What the key of an amendment has more than the one of what it amends. */
export const AMENDMENT_PART = 0;

/** The first part of the only keys whose values are amended: others' deletions need not look for amendments. */
export const AMENDABLE_PREFIX = 'check';

/** @param stamp no other value that is ever stored in this place may have it; without blanks */
export function amendableText(stamp: string, parts: readonly string[]): string {
  return `${AMENDABLE}${stamp}${STAMP_END}${parts.map(({ length }) => length).join()}${HEAD_END}${parts.join('')}`;
}

/**
 * Made for each result of most agents, so without a list of lengths.
 *
 * @param parts undefined: as they are
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
 * What a stored value says.
 *
 * @param amendment what is stored as its amendment, of whatever stamp
 */
export function wholeText(value: string, amendment?: string): string {
  if (!isAmendable(value)) return value;
  let from = value.indexOf(HEAD_END) + 1;
  if (amendment === undefined || !hasStampOf(amendment, value)) return value.slice(from);
  let amendedFrom = amendment.indexOf(HEAD_END) + 1;
  const lengths = new Lengths(value);
  const amended = new Lengths(amendment);
  // Joined, because what is put together by `+` is copied again when it is first looked at. Parts that are kept go together.
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

/** The lengths in the head of a value, digit by digit, because a start reads those of all results. */
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

  /** @returns `KEPT_LENGTH`: the part is as it was */
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
