/** Maximum number of characters of an output that are compared. */
const COMPARED_MAX = 200;

/** The kinds of characters in an output: letters and digits form words, and joiners connect the parts of a word. */
const OTHER_KIND = 0;
const LETTER_KIND = 1;
const DIGIT_KIND = 2;
const JOINER_KIND = 3;

/** The kind of each ASCII character by its code, and of all other characters, which count as letters. */
const CHARACTER_KINDS = new Uint8Array(0x1_0000).fill(LETTER_KIND);
for (let code = 0; code < 128; code += 1) CHARACTER_KINDS[code] = kindOf(String.fromCharCode(code));

const FULL_STOP_CODE = '.'.charCodeAt(0);

/** The character that stands for a number, an id or a host name in a pattern. */
const PLACEHOLDER_CODE = '#'.charCodeAt(0);

/** The codes of the pattern that was computed last. They are written in place, because a pattern is rarely a text. */
const patternCodes = new Uint16Array(COMPARED_MAX);

/**
 * Returns the output with `#` in place of each word that differs from event to event: numbers, hexadecimal ids, times,
 * addresses and host names. `HTTP 502 after 1.2s` becomes `HTTP # after #`.
 */
export function outputPattern(output: string): string {
  return String.fromCharCode(...patternCodes.subarray(0, writePattern(output)));
}

/** Returns a hash of the pattern of an output, an integer of 53 bits. */
export function outputFingerprint(output: string): number {
  const length = writePattern(output);
  let low = 0x811c_9dc5;
  let high = 0x9e37_79b1;
  for (let at = 0; at < length; at += 1) {
    const code = patternCodes[at] as number;
    low = Math.imul(low ^ code, 0x0100_0193);
    high = Math.imul(high ^ code, 0x27d4_eb2f);
  }
  return (low >>> 0) * 0x20_0000 + (high >>> 11);
}

/**
 * Writes the pattern of an output to `patternCodes`.
 *
 * @returns the length of the pattern
 */
function writePattern(output: string): number {
  const end = Math.min(output.length, COMPARED_MAX);
  let length = 0;
  /** Position of the current word in the pattern; -1 between words. */
  let word = -1;
  let isVariable = false;
  for (let at = 0; at <= end; at += 1) {
    const code = at === end ? 0 : output.charCodeAt(at);
    const kind = CHARACTER_KINDS[code] as number;
    // A joiner belongs to a word only if the word goes on behind it.
    const continues =
      kind === LETTER_KIND ||
      kind === DIGIT_KIND ||
      (kind === JOINER_KIND && word !== -1 && at + 1 < end && isWordAt(output, at + 1));
    if (continues) {
      if (word === -1) {
        word = length;
        isVariable = false;
      }
      // A word with a full stop inside is the name of a host or a file.
      if (kind === DIGIT_KIND || code === FULL_STOP_CODE) isVariable = true;
    } else if (word !== -1) {
      if (isVariable) {
        patternCodes[word] = PLACEHOLDER_CODE;
        length = word + 1;
      }
      word = -1;
    }
    if (at < end) {
      patternCodes[length] = code;
      length += 1;
    }
  }
  return length;
}

function kindOf(character: string): number {
  if (/[a-z_]/i.test(character)) return LETTER_KIND;
  if (/\d/.test(character)) return DIGIT_KIND;
  return /[-.,:/@]/.test(character) ? JOINER_KIND : OTHER_KIND;
}

function isWordAt(output: string, at: number): boolean {
  const kind = CHARACTER_KINDS[output.charCodeAt(at)];
  return kind === LETTER_KIND || kind === DIGIT_KIND;
}
