import type { IBufferCell, Terminal } from '@xterm/headless';

/** The colors of a terminal: those of text and background, and the sixteen that its theme defines. */
export interface TerminalColors {
  readonly text: string;
  readonly background: string;
  readonly palette: readonly string[];
}

/** The default colors of a dark xterm. */
export const DARK_COLORS: TerminalColors = {
  text: '#e5e5e5',
  background: '#101216',
  palette: [
    '000000 cd0000 00cd00 cdcd00 3b78ff cd00cd 00cdcd e5e5e5',
    '7f7f7f ff5555 55ff55 ffff55 7c9cff ff77ff 55ffff ffffff',
  ].flatMap((colors) => colors.split(' ').map((color) => `#${color}`)),
};

/** The default colors of a light xterm. */
export const LIGHT_COLORS: TerminalColors = { ...DARK_COLORS, text: '#000000', background: '#ffffff' };

/** Width and height of a cell, and the size of its font, in pixels. The font is 0.602 times as wide as high. */
const CELL_PIXELS = { width: 8, height: 16, font: 13.288 };
const FONT_FAMILY = 'DejaVu Sans Mono, monospace';

/** Returns the picture of the screen of a terminal, as SVG. */
export function svgPicture(terminal: Terminal, colors: TerminalColors): string {
  const width = terminal.cols * CELL_PIXELS.width;
  const height = terminal.rows * CELL_PIXELS.height;
  const { active } = terminal.buffer;
  const shapes = Array.from({ length: terminal.rows }, (_, row) => {
    const line = active.getLine(active.viewportY + row);
    const cells = Array.from({ length: terminal.cols }, (_cell, column) => line?.getCell(column));
    return rowShapes(
      cells.filter((cell) => cell !== undefined),
      row,
      colors,
    );
  });
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" width="${String(width)}" height="${String(height)}">`,
    `<rect width="100%" height="100%" fill="${colors.background}"/>`,
    `<g font-family="${FONT_FAMILY}" font-size="${String(CELL_PIXELS.font)}">`,
    ...shapes.flat(),
    '</g></svg>',
    '',
  ].join('\n');
}

/** A piece of a row whose cells look the same. */
interface RowPiece {
  text: string;
  readonly column: number;
  cells: number;
  readonly look: CellColors;
}

interface CellColors {
  readonly text: string;
  readonly background: string;
  readonly isBold: boolean;
  readonly isDim: boolean;
}

function rowShapes(cells: readonly IBufferCell[], row: number, colors: TerminalColors): readonly string[] {
  const pieces: RowPiece[] = [];
  for (const [column, cell] of cells.entries()) {
    if (cell.getWidth() === 0) continue;
    const look = lookOf(cell, colors);
    const text = cell.getChars() || ' ';
    const last = pieces.at(-1);
    const isSame = last !== undefined && JSON.stringify(last.look) === JSON.stringify(look);
    // Other characters can come from another font, so each of them is placed on its own.
    if (isSame && isAsciiText(text) && isAsciiText(last.text)) {
      last.text += text;
      last.cells += 1;
    } else pieces.push({ text, column, cells: cell.getWidth(), look });
  }
  return pieces.flatMap((piece) => pieceShapes(piece, row, colors));
}

function isAsciiText(text: string): boolean {
  return /^[ -~]*$/.test(text);
}

function pieceShapes({ text, column, cells, look }: RowPiece, row: number, colors: TerminalColors): readonly string[] {
  const [left, top] = [column * CELL_PIXELS.width, row * CELL_PIXELS.height];
  const width = cells * CELL_PIXELS.width;
  const shapes: string[] = [];
  if (look.background !== colors.background)
    shapes.push(rectElement([left, top, width, CELL_PIXELS.height], look.background));
  const eighths = '▁▂▃▄▅▆▇█'.indexOf(text) + 1;
  if (eighths > 0) {
    // Bars are drawn as rectangles, because those of the font leave gaps between rows.
    const height = (CELL_PIXELS.height * eighths) / 8;
    shapes.push(rectElement([left, top + CELL_PIXELS.height - height, width, height], look.text));
  } else if (text.trim() !== '') {
    const style = `${look.isBold ? ' font-weight="bold"' : ''}${look.isDim ? ' opacity="0.6"' : ''}`;
    const baseline = top + CELL_PIXELS.height * 0.78;
    shapes.push(
      `<text x="${String(left)}" y="${String(baseline)}" fill="${look.text}"${style} xml:space="preserve">${escapeXml(text)}</text>`,
    );
  }
  return shapes;
}

function rectElement([x, y, width, height]: readonly [number, number, number, number], color: string): string {
  return `<rect x="${String(x)}" y="${String(y)}" width="${String(width)}" height="${String(height)}" fill="${color}"/>`;
}

function escapeXml(text: string): string {
  return text.replaceAll('&', '&amp;').replaceAll('<', '&lt;').replaceAll('>', '&gt;');
}

function lookOf(cell: IBufferCell, colors: TerminalColors): CellColors {
  const text = colorOf(cell.isFgDefault(), cell.isFgPalette(), cell.getFgColor(), colors) ?? colors.text;
  const background = colorOf(cell.isBgDefault(), cell.isBgPalette(), cell.getBgColor(), colors) ?? colors.background;
  const isInverse = cell.isInverse() !== 0;
  return {
    text: isInverse ? background : text,
    background: isInverse ? text : background,
    isBold: cell.isBold() !== 0,
    isDim: cell.isDim() !== 0,
  };
}

function colorOf(
  isDefault: boolean,
  isPalette: boolean,
  color: number,
  { palette }: TerminalColors,
): string | undefined {
  if (isDefault) return undefined;
  if (!isPalette) return `#${color.toString(16).padStart(6, '0')}`;
  return palette[color] ?? xtermColor(color);
}

/** Returns a number from 0 to 255 as two hexadecimal digits. */
function hexByte(value: number): string {
  return value.toString(16).padStart(2, '0');
}

/** Returns one of the colors 16 to 255 of a terminal: a cube of 6 x 6 x 6 colors, and 24 grays. */
export function xtermColor(color: number): string {
  if (color >= 232) return `#${hexByte(8 + (color - 232) * 10).repeat(3)}`;
  const at = color - 16;
  const level = (index: number): string => hexByte(index === 0 ? 0 : 55 + index * 40);
  return `#${level(Math.floor(at / 36))}${level(Math.floor(at / 6) % 6)}${level(at % 6)}`;
}
