import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { Terminal, type IBufferCell, type IUnicodeVersionProvider } from '@xterm/headless';
import { expect } from 'vitest';
import type { SizeSource } from '../../tui/terminal/frame-stdout.ts';
import type { TerminalDevice } from '../../tui/terminal/terminal-device.ts';

const GOLDEN_SCREENS = join(import.meta.dirname, '..', 'golden', 'screens');

/** The sixteen colours of a terminal, in the order of their numbers. */
const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

/**
 * A terminal without a window: takes bytes, shows rows. In place of the real one it is `device` and `size` of a
 * `FrameStdout`.
 */
export class Screen extends EventEmitter implements SizeSource {
  readonly #terminal: Terminal;
  /** Everything that was written, for tests of the very bytes. */
  output = '';
  /** Times that the bell rang. */
  bells = 0;
  /** Set by the program, which ours must never do. */
  title = '';

  constructor(size: { readonly columns: number; readonly rows: number }) {
    super();
    this.#terminal = new Terminal({
      cols: size.columns,
      rows: size.rows,
      scrollback: 200,
      allowProposedApi: true,
      // As the line discipline of a real terminal does also in raw mode.
      convertEol: true,
    });
    this.#terminal.unicode.register(currentUnicode);
    this.#terminal.unicode.activeVersion = currentUnicode.version;
    this.#terminal.onBell(() => this.bells++);
    this.#terminal.onTitleChange((title) => (this.title = title));
  }

  get columns(): number {
    return this.#terminal.cols;
  }

  /** The height; the text of the rows is `lines`. */
  get rows(): number {
    return this.#terminal.rows;
  }

  readonly device: TerminalDevice = {
    write: (bytes) => {
      this.feed(bytes);
      return bytes.length;
    },
    close: () => {},
  };

  feed(bytes: Uint8Array | string): void {
    this.output += typeof bytes === 'string' ? bytes : Buffer.from(bytes).toString();
    // A copy, because the terminal reads it later.
    this.#terminal.write(typeof bytes === 'string' ? bytes : bytes.slice());
  }

  /** Resolves when all that was fed is on the screen. */
  async settled(): Promise<void> {
    await new Promise<void>((resolve) => this.#terminal.write('', resolve));
  }

  /** What the terminal says to the program by itself: answers to questions. */
  onAnswer(listener: (answer: string) => void): void {
    this.#terminal.onData(listener);
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
    this.emit('resize');
  }

  /** Rows as plain text, without the spaces at their ends. */
  get lines(): string[] {
    return this.#rows().map((cells) => cells.map(cellText).join('').trimEnd());
  }

  /** The whole screen as plain text, a line per row. */
  get text(): string {
    return this.lines.join('\n');
  }

  /** The whole screen with the changes of looks in brackets: `⟦red bold⟧✗ CRIT⟦⟧`. */
  get styledText(): string {
    return this.#rows()
      .map((cells) => {
        let line = '';
        let before = '';
        for (const cell of cells) {
          const look = lookOf(cell);
          if (look !== before) line += `⟦${look}⟧`;
          before = look;
          line += cellText(cell);
        }
        return before === '' ? line.trimEnd() : `${line}⟦⟧`;
      })
      .join('\n');
  }

  /** From the left top corner, from 0. */
  get cursor(): { column: number; row: number } {
    const { cursorX, cursorY } = this.#terminal.buffer.active;
    return { column: cursorX, row: cursorY };
  }

  /** The modes that a program must take back when it ends. */
  get modes(): {
    alternate: boolean;
    cursorHidden: boolean;
    paste: boolean;
    focus: boolean;
    mouse: boolean;
    synchronized: boolean;
  } {
    const { bracketedPasteMode, mouseTrackingMode, sendFocusMode, synchronizedOutputMode } = this.#terminal.modes;
    return {
      alternate: this.#terminal.buffer.active.type === 'alternate',
      cursorHidden: this.output.lastIndexOf('\u001b[?25l') > this.output.lastIndexOf('\u001b[?25h'),
      paste: bracketedPasteMode,
      focus: sendFocusMode,
      mouse: mouseTrackingMode !== 'none',
      synchronized: synchronizedOutputMode,
    };
  }

  dispose(): void {
    this.#terminal.dispose();
  }

  #rows(): IBufferCell[][] {
    const { active } = this.#terminal.buffer;
    return Array.from({ length: this.rows }, (_, row) => {
      const line = active.getLine(active.viewportY + row);
      const cells = Array.from({ length: this.columns }, (_cell, column) => line?.getCell(column));
      return cells.filter((cell) => cell !== undefined);
    });
  }
}

/** By code point: a screen full of them is measured for every picture. */
const widths = new Map<number, 0 | 1 | 2>();

function widthOf(code: number): 0 | 1 | 2 {
  const known = widths.get(code);
  if (known !== undefined) return known;
  const width = Math.min(2, stringWidth(String.fromCodePoint(code))) as 0 | 1 | 2;
  widths.set(code, width);
  return width;
}

/** The widths of today's Unicode, a character at a time; the terminal's own table is from 2010 and knows no emoji. */
const currentUnicode: IUnicodeVersionProvider = {
  version: 'current',
  wcwidth: widthOf,
  // Packed as the terminal wants it: what has no width joins the cell before it, if there is one.
  charProperties: (code, before) => {
    const width = widthOf(code);
    const widthBefore = (before >> 1) & 0b11;
    const joins = width === 0 && widthBefore > 0;
    return ((joins ? widthBefore : width) << 1) | (joins ? 1 : 0);
  },
};

/**
 * Compares the screen with `test/golden/screens/<name>.txt`, with its colours when `styled`.
 * New or changed pictures are recorded with `vitest -u`: look at them before they are committed.
 */
export async function expectGolden(screen: Screen, name: string, { styled = false } = {}): Promise<void> {
  await screen.settled();
  const picture = styled ? screen.styledText : screen.text;
  await expect(`${picture}\n`).toMatchFileSnapshot(join(GOLDEN_SCREENS, `${name}.txt`));
}

/** The second half of a wide character has no text of its own; a cell that was never written is a space. */
function cellText(cell: IBufferCell): string {
  return cell.getWidth() === 0 ? '' : cell.getChars() || ' ';
}

function lookOf(cell: IBufferCell): string {
  const look = [];
  const foreground = colourOf(cell.isFgDefault(), cell.isFgPalette(), cell.getFgColor());
  const background = colourOf(cell.isBgDefault(), cell.isBgPalette(), cell.getBgColor());
  if (foreground !== undefined) look.push(foreground);
  if (background !== undefined) look.push(`on ${background}`);
  if (cell.isBold()) look.push('bold');
  if (cell.isDim()) look.push('dim');
  if (cell.isItalic()) look.push('italic');
  if (cell.isUnderline()) look.push('underline');
  if (cell.isInverse()) look.push('inverse');
  if (cell.isStrikethrough()) look.push('struck');
  return look.join(' ');
}

function colourOf(isDefault: boolean, isPalette: boolean, colour: number): string | undefined {
  if (isDefault) return undefined;
  if (!isPalette) return `#${colour.toString(16).padStart(6, '0')}`;
  const name = COLOURS[colour % 8];
  return colour < 16 && name !== undefined ? (colour < 8 ? name : `bright-${name}`) : String(colour);
}
