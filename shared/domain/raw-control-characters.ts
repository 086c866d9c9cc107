const QUOTE = 0x22;
const BACKSLASH = 0x5c;
const FIRST_PRINTABLE = 0x20;

/**
 * JSON whose texts may hold control characters as they are, such as the newlines of an output that a shell script put
 * between quotes: JSON asks for escapes there, and the legacy service does not.
 *
 * @throws SyntaxError when it is not JSON for another reason
 */
export function parseJsonWithRawControls(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    const escaped = escapeRawControls(text);
    if (escaped === text) throw error;
    return JSON.parse(escaped);
  }
}

/** Returns the same JSON with escapes for the control characters in its texts, in time linear in the length. */
export function escapeRawControls(text: string): string {
  const escaped = new EscapedText(text);
  let isInString = false;
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) {
      isInString = !isInString;
    } else if (isInString && code < FIRST_PRINTABLE) {
      escaped.addEscape(at, code);
    } else if (isInString && code === BACKSLASH && text.charCodeAt(at + 1) >= FIRST_PRINTABLE) {
      at++;
    }
  }
  return escaped.end();
}

/** Code units that are turned into a string at a time: as many as a call takes as arguments. */
const BUFFER_UNITS = 8192;
/** Longest text between two escapes that is copied unit by unit: the pieces of a string cost more than that. */
const COPIED_MAX = 64;
const HEX = '0123456789abcdef';

/** Collects a text in one buffer: a text of control characters would otherwise be millions of pieces. */
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
    for (const unit of ['\\', 'u', '0', '0', HEX[code >> 4] ?? '', HEX[code & 0xf] ?? ''])
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
