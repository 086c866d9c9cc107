import { startDelay, type Delay } from './delay.ts';
import type { InputEvent } from './input-event.ts';
import { readPiece } from './input-syntax.ts';
import { namedKey } from './key-sequences.ts';

/**
 * Milliseconds without further input after which an escape character is the escape key and not the beginning of a
 * sequence.
 */
export const ESCAPE_DELAY_MS = 20;

/**
 * Milliseconds after which an incomplete sequence is dropped. This is longer than the escape delay, because a slow
 * connection can split a sequence.
 */
export const SEQUENCE_DELAY_MS = 500;

/**
 * Milliseconds after an escape key during which the rest of a sequence is still recognized. A slow connection can
 * deliver the escape character of an arrow key or of a paste long before the rest, and letters would run actions.
 */
export const TORN_DELAY_MS = 100;

/** Milliseconds without input after which a paste ends without its end mark, so that the keyboard works again. */
export const PASTE_DELAY_MS = 5000;

/** Maximum length of a paste in UTF-16 code units; text beyond it is dropped. */
export const PASTE_LENGTH_MAX = 1024 * 1024;

const ESC = '\u001b';
const PASTE_END = `${ESC}[201~`;
/** The start of a sequence without its escape character. */
const TORN_START = /^[[O]/;
const ESCAPES_ONLY = new RegExp(`^${ESC}+$`);

/**
 * Decodes the input of a terminal into events. It does not matter how the bytes are split into chunks. Only a pause
 * matters: it distinguishes the escape key from the beginning of a sequence.
 *
 * Unknown sequences and malformed UTF-8 are ignored.
 */
export class KeyDecoder implements Disposable {
  readonly #emit: (event: InputEvent) => void;
  readonly #after: Delay;
  // Malformed bytes become U+FFFD, which no key sends.
  readonly #utf8 = new TextDecoder('utf-8', { ignoreBOM: true });
  /** Incomplete input: the beginning of an escape sequence or, in a paste, of the end mark. */
  #pending = '';
  #paste: Paste | undefined;
  /** True shortly after an escape key was emitted, because the rest of its sequence may follow. */
  #isAfterEscape = false;
  /** True if the escape key was already emitted for the escape character in `#pending`. */
  #isTorn = false;
  #timer: Disposable | undefined;

  constructor({ emit, after = startDelay }: { readonly emit: (event: InputEvent) => void; readonly after?: Delay }) {
    this.#emit = emit;
    this.#after = after;
  }

  feed(chunk: Uint8Array | string): void {
    this.#stopTimer();
    const bytes = typeof chunk === 'string' ? new TextEncoder().encode(chunk) : chunk;
    const arrived = this.#utf8.decode(bytes, { stream: true });
    if (this.#isAfterEscape && TORN_START.test(arrived)) {
      this.#pending = ESC;
      this.#isTorn = true;
    }
    this.#isAfterEscape = false;
    const text = this.#pending + arrived;
    let position = 0;
    let next = this.#step(text, position);
    while (next > position) {
      position = next;
      next = this.#step(text, position);
    }
    this.#pending = text.slice(position);
    if (position > 0) this.#isTorn = false;
    this.#startTimer();
  }

  /** Drops incomplete input. */
  [Symbol.dispose](): void {
    this.#stopTimer();
    this.#pending = '';
    this.#paste = undefined;
  }

  /**
   * Decodes the next key, sequence or part of a paste.
   *
   * @returns the position where decoding continues; `position` itself if more input is needed
   */
  #step(text: string, position: number): number {
    return this.#paste === undefined ? this.#stepKey(text, position) : this.#stepPaste(this.#paste, text, position);
  }

  #stepKey(text: string, position: number): number {
    const piece = readPiece(text, position);
    if (piece === undefined) return position;
    if (piece.event === 'paste') this.#paste = new Paste();
    else if (piece.event !== undefined) this.#emit(piece.event);
    return piece.end;
  }

  #stepPaste(paste: Paste, text: string, position: number): number {
    const end = text.indexOf(PASTE_END, position);
    if (end !== -1) {
      paste.add(text.slice(position, end));
      this.#endPaste(paste);
      return end + PASTE_END.length;
    }
    // An escape character near the end can be the start of the end mark, so the text from there on is not added yet.
    const escape = text.indexOf(ESC, Math.max(position, text.length - PASTE_END.length + 1));
    const textEnd = escape === -1 ? text.length : escape;
    paste.add(text.slice(position, textEnd));
    return textEnd;
  }

  #endPaste(paste: Paste): void {
    this.#paste = undefined;
    this.#emit(paste.event());
  }

  #startTimer(): void {
    if (this.#paste !== undefined) this.#timer = this.#after(PASTE_DELAY_MS, () => this.#giveUp());
    else if (ESCAPES_ONLY.test(this.#pending)) this.#timer = this.#after(ESCAPE_DELAY_MS, () => this.#giveUp());
    else if (this.#isTorn) this.#timer = this.#after(TORN_DELAY_MS, () => this.#giveUp());
    else if (this.#pending !== '') this.#timer = this.#after(SEQUENCE_DELAY_MS, () => this.#giveUp());
  }

  #stopTimer(): void {
    this.#timer?.[Symbol.dispose]();
    this.#timer = undefined;
  }

  /**
   * Ends incomplete input after a pause: a paste ends here, escape characters become escape keys, and the beginning of
   * a sequence is dropped.
   */
  #giveUp(): void {
    this.#timer = undefined;
    const pending = this.#pending;
    this.#pending = '';
    const isTorn = this.#isTorn;
    this.#isTorn = false;
    if (isTorn) {
      // Nothing completed the sequence, so the user typed these characters after the escape key.
      for (const character of pending.slice(ESC.length)) this.#stepKey(character, 0);
    } else if (this.#paste !== undefined) {
      this.#paste.add(pending);
      this.#endPaste(this.#paste);
    } else if (ESCAPES_ONLY.test(pending)) {
      for (let count = 0; count < pending.length; count++) this.#emit(namedKey('escape'));
      this.#isAfterEscape = true;
      this.#timer = this.#after(TORN_DELAY_MS, () => (this.#isAfterEscape = false));
    }
  }
}

class Paste {
  #text = '';
  #truncated = false;

  add(text: string): void {
    const available = PASTE_LENGTH_MAX - this.#text.length;
    this.#text += text.slice(0, available);
    this.#truncated ||= text.length > available;
  }

  event(): InputEvent {
    // The length limit can have split a surrogate pair. In a paste, terminals send a line end as a carriage return,
    // like the enter key.
    const text = this.#text.replace(/[\ud800-\udbff]$/, '').replaceAll(/\r\n?/g, '\n');
    return { kind: 'paste', text, truncated: this.#truncated };
  }
}
