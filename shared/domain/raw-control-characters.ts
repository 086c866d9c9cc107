const QUOTE_CODE = 0x22;
const BACKSLASH_CODE = 0x5c;
const FIRST_PRINTABLE_CODE = 0x20;

/** Matches the escape sequence of a UTF-16 surrogate, such as `\ud83d`, paired or unpaired. */
const SURROGATE_ESCAPE = /\\u[dD][89a-fA-F]/;

/**
 * Parses JSON. Unpaired surrogates become U+FFFD in values and names; only escapes can produce them (security S8).
 *
 * @throws SyntaxError if the text is not JSON
 */
export function parseJsonReplacingSurrogates(text: string): unknown {
  return replaceEscapedSurrogates(text, JSON.parse(text));
}

/**
 * Replaces unpaired surrogates in a value that was parsed from JSON. If the JSON text contains no escaped surrogate,
 * the value is returned unchanged.
 *
 * @param text JSON text of the value
 */
export function replaceEscapedSurrogates(text: string, value: unknown): unknown {
  return SURROGATE_ESCAPE.test(text) ? replaceLoneSurrogates(value) : value;
}

/** Replaces unpaired surrogates in all strings and names of a value, at every depth. */
function replaceLoneSurrogates(value: unknown): unknown {
  if (typeof value === 'string') return value.toWellFormed();
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map(replaceLoneSurrogates);
  return Object.fromEntries(
    Object.entries(value).map(([name, item]) => [name.toWellFormed(), replaceLoneSurrogates(item)]),
  );
}

/**
 * Parses JSON and accepts raw control characters in strings, such as newlines that a shell script put between quotes.
 * JSON requires escapes there; Sensu Core does not.
 *
 * @throws SyntaxError if the text is not JSON apart from control characters
 */
export function parseJsonWithRawControls(text: string): unknown {
  try {
    return parseJsonReplacingSurrogates(text);
  } catch (error) {
    const escaped = escapeRawControls(text);
    if (escaped === text) throw error;
    return parseJsonReplacingSurrogates(escaped);
  }
}

/** Escapes the raw control characters in the strings of a JSON text, in time linear in its length. */
export function escapeRawControls(text: string): string {
  const escaped = new EscapedText(text);
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE_CODE) {
      isInString = !isInString;
    } else if (isInString && code < FIRST_PRINTABLE_CODE) {
      escaped.addEscape(at, code);
    } else if (isInString && code === BACKSLASH_CODE && text.charCodeAt(at + 1) >= FIRST_PRINTABLE_CODE) {
      at++;
    }
  }
  return escaped.end();
}

/** Size of the buffer in UTF-16 units. It is small enough to pass all units as arguments of one function call. */
const BUFFER_UNITS = 8192;
/**
 * Maximum length of the text between two escapes for which it is copied unit by unit. For a longer text, a slice is
 * cheaper.
 */
const COPIED_MAX = 64;
const HEX_DIGITS = '0123456789abcdef';

/** Builds an escaped text in a buffer. Otherwise a text of many control characters would become millions of slices. */
class EscapedText {
  readonly #text: string;
  readonly #units = new Uint16Array(BUFFER_UNITS);
  #length = 0;
  #copied = 0;
  #done = '';

  constructor(text: string) {
    this.#text = text;
  }

  addEscape(at: number, code: number): void {
    this.#copyUntil(at);
    for (const unit of ['\\', 'u', '0', '0', HEX_DIGITS[code >> 4] ?? '', HEX_DIGITS[code & 0xf] ?? ''])
      this.#add(unit.charCodeAt(0));
    this.#copied = at + 1;
  }

  end(): string {
    if (this.#copied === 0) return this.#text;
    this.#copyUntil(this.#text.length);
    this.#flush();
    return this.#done;
  }

  #copyUntil(end: number): void {
    if (end - this.#copied > COPIED_MAX) {
      this.#flush();
      this.#done += this.#text.slice(this.#copied, end);
      return;
    }
    for (let at = this.#copied; at < end; at++) this.#add(this.#text.charCodeAt(at));
  }

  #add(unit: number): void {
    if (this.#length === BUFFER_UNITS) this.#flush();
    this.#units[this.#length++] = unit;
  }

  #flush(): void {
    this.#done += String.fromCharCode(...this.#units.subarray(0, this.#length));
    this.#length = 0;
  }
}
