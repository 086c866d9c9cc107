import { EventEmitter } from 'node:events';
import { join } from 'node:path';
import stringWidth from 'string-width';
import { Terminal, type IBufferCell, type IUnicodeVersionProvider } from '@xterm/headless';
import { expect } from 'vitest';
import type { SizeSource } from '../../tui/terminal/frame-stdout.ts';
import type { TerminalDevice } from '../../tui/terminal/terminal-device.ts';

const GOLDEN_SCREENS = join(import.meta.dirname, '..', 'golden', 'screens');

/** Names of the colors 0 to 7 of a terminal, in order; the colors 8 to 15 are the bright variants. */
const COLOURS = ['black', 'red', 'green', 'yellow', 'blue', 'magenta', 'cyan', 'white'];

/**
 * A virtual terminal that converts the output of a program to rows of text. It can replace `device` and `size` of a
 * `FrameStdout`.
 */
export class Screen extends EventEmitter implements SizeSource {
  readonly #terminal: Terminal;
  /** All output that was written, including the escape sequences. */
  output = '';
  /** Number of times that the bell was rung. */
  bells = 0;
  /** The window title that the program has set. The console must never set one. */
  title = '';

  constructor(size: { readonly columns: number; readonly rows: number }) {
    super();
    this.#terminal = new Terminal({
      cols: size.columns,
      rows: size.rows,
      scrollback: 200,
      allowProposedApi: true,
      // Converts line feeds to line breaks, as the line discipline of a real terminal does, even in raw mode.
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

  /** Number of rows of the terminal; `lines` contains their text. */
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
    // The bytes are copied, because the terminal reads them asynchronously.
    this.#terminal.write(typeof bytes === 'string' ? bytes : bytes.slice());
  }

  /** Resolves when all output is on the screen. */
  async settled(): Promise<void> {
    await new Promise<void>((resolve) => this.#terminal.write('', resolve));
  }

  /** Registers a listener for the responses that the terminal sends to requests of the program. */
  onResponse(listener: (answer: string) => void): void {
    this.#terminal.onData(listener);
  }

  resize(columns: number, rows: number): void {
    this.#terminal.resize(columns, rows);
    this.emit('resize');
  }

  /** The rows of the screen as plain text, without trailing spaces. */
  get lines(): string[] {
    return this.#rows().map((cells) => cells.map(cellText).join('').trimEnd());
  }

  /** The screen as plain text, one line per row. */
  get text(): string {
    return this.lines.join('\n');
  }

  /** The screen as text with the style changes in brackets, such as `⟦red bold⟧✗ CRIT⟦⟧`. */
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

  /** Position of the cursor, counted from 0 at the top left corner. */
  get cursor(): { column: number; row: number } {
    const { cursorX, cursorY } = this.#terminal.buffer.active;
    return { column: cursorX, row: cursorY };
  }

  /** Terminal modes that a program must reset before it ends. */
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

/** Display widths by code point. They are cached, because every golden screen measures a full screen of characters. */
const widths = new Map<number, 0 | 1 | 2>();

function widthOf(code: number): 0 | 1 | 2 {
  const known = widths.get(code);
  if (known !== undefined) return known;
  const width = Math.min(2, stringWidth(String.fromCodePoint(code))) as 0 | 1 | 2;
  widths.set(code, width);
  return width;
}

/** Character widths of the current Unicode version. The terminal's own table is from 2010 and contains no emoji. */
const currentUnicode: IUnicodeVersionProvider = {
  version: 'current',
  wcwidth: widthOf,
  // The result is packed as the terminal expects it. A character without width joins the previous cell if there is one.
  charProperties: (code, before) => {
    const width = widthOf(code);
    const widthBefore = (before >> 1) & 0b11;
    const joins = width === 0 && widthBefore > 0;
    return ((joins ? widthBefore : width) << 1) | (joins ? 1 : 0);
  },
};

/**
 * Compares the screen with the file `test/golden/screens/<name>.txt`; the file includes style changes if `styled` is
 * true. `vitest -u` records new or changed screens: review them before the commit.
 */
export async function expectGolden(screen: Screen, name: string, { styled = false } = {}): Promise<void> {
  await screen.settled();
  const picture = styled ? screen.styledText : screen.text;
  await expect(`${picture}\n`).toMatchFileSnapshot(join(GOLDEN_SCREENS, `${name}.txt`));
}

/**
 * Returns the text of a cell: the empty string for the second half of a wide character, and a space for a cell that was
 * never written.
 */
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
