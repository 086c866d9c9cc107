import type { Severity } from '../../shared/domain/severity.ts';

/**
 * The style of a piece of text. A tone is named after its meaning and not after a color; the skin assigns colors to
 * tones.
 */
export type Tone =
  | 'plain'
  | 'strong'
  | 'faint'
  | ColoredTone
  | 'silenced'
  | 'cursor'
  | 'alert'
  | 'critical-row'
  | `${'warning' | 'unknown' | 'ok'}-strong`
  | `${ColoredTone}-inverse`;

/** A tone with a color of its own. */
type ColoredTone = Severity | 'flapping' | 'accent';

/** The tone of a whole row of a list: the severity of the row, or a tone without color. */
export type RowTone = Severity | 'plain' | 'faint';

/** A piece of text in one tone. Its text is already safe for a terminal. */
export interface Run {
  readonly text: string;
  readonly tone: Tone;
}

/** A row of the screen, or a part of one. */
export type Line = readonly Run[];

export function run(text: string, tone: Tone = 'plain'): Run {
  return { text, tone };
}

/**
 * The color schemes. `deuteranopia` is for users who cannot distinguish red from green, and `tritanopia` for those who
 * cannot distinguish blue from yellow.
 */
export const SKINS = ['dark', 'light', 'deuteranopia', 'tritanopia', 'mono'] as const;
export type Skin = (typeof SKINS)[number];

export function isSkin(name: string): name is Skin {
  return SKINS.includes(name as Skin);
}

export interface Theme {
  /** True if the console uses colors. Without colors, bold, dim and inverse are still used. */
  readonly color: boolean;
  /** True if the console outputs only ASCII characters. */
  readonly ascii: boolean;
  /** The color scheme. Default: `dark`. */
  readonly skin?: Skin;
}

/** The colors of a skin, as numbers of the 256 colors of a terminal. Without `faint`, faint text is dimmed instead. */
type SkinColors = Readonly<Partial<Record<ColoredTone | 'faint', number>>>;

/**
 * The foreground colors of each skin (color scheme). `dark` uses only the first sixteen colors, which the theme of the
 * terminal defines. Dark red and dark magenta are hard to read on black, so it uses their bright variants. It does not
 * use bright yellow, which is gray in the theme Solarized.
 *
 * The other skins need exact colors, so they use the colors from 16 on, which every terminal draws alike. Each has a
 * contrast of at least 4.5:1 (WCAG 2.2, 1.4.3). They also define a gray, because the dim text of some terminals is
 * below that.
 */
export const SKIN_COLORS: Readonly<Record<Skin, SkinColors>> = {
  dark: { critical: 9, warning: 3, unknown: 13, ok: 2, flapping: 6, accent: 6 },
  // Yellow and cyan are unreadable on white.
  light: { critical: 124, warning: 94, unknown: 90, ok: 22, flapping: 24, accent: 24, faint: 241 },
  // These colors range from orange to blue and vary in brightness, so they differ without red and green.
  deuteranopia: { critical: 208, warning: 227, unknown: 255, ok: 33, flapping: 117, accent: 117, faint: 245 },
  // These colors range from red to teal, so they differ without blue and yellow.
  tritanopia: { critical: 197, warning: 217, unknown: 255, ok: 37, flapping: 87, accent: 87, faint: 245 },
  mono: {},
};

/** SGR parameters that are not colors, and those that turn them off. */
const BOLD_PARAMETER = '1';
const DIM_PARAMETER = '2';
const INVERSE_PARAMETER = '7';
const WEIGHTS_OFF: Readonly<Record<string, string>> = {
  [BOLD_PARAMETER]: '22',
  [DIM_PARAMETER]: '22',
  [INVERSE_PARAMETER]: '27',
};

/** The complete escape sequences that turn a tone on and off. */
interface SgrSequences {
  readonly on: string;
  readonly off: string;
}

/**
 * The escape sequences that turn a tone on and off, by skin. They replace Ink's `<Text>` properties for two reasons:
 * Ink drops bold and inverse along with the colors under NO_COLOR, and one string per row is the fastest to draw.
 */
const SGR_BY_SKIN = Object.fromEntries(SKINS.map((skin) => [skin, sgrOf(SKIN_COLORS[skin])])) as Readonly<
  Record<Skin, Readonly<Record<Tone, SgrSequences>>>
>;

/** Returns the escape sequences of all tones. Even without colors, each status still has its symbol and word. */
function sgrOf({
  critical,
  warning,
  unknown,
  ok,
  flapping,
  accent,
  faint,
}: SkinColors): Readonly<Record<Tone, SgrSequences>> {
  const faintSgr = faint === undefined ? sgrSequences([DIM_PARAMETER]) : sgrSequences([], faint);
  return {
    plain: sgrSequences([]),
    strong: sgrSequences([BOLD_PARAMETER]),
    faint: faintSgr,
    critical: sgrSequences([BOLD_PARAMETER], critical),
    warning: sgrSequences([], warning),
    unknown: sgrSequences([], unknown),
    ok: sgrSequences([], ok),
    silenced: faintSgr,
    flapping: sgrSequences([], flapping),
    accent: sgrSequences([], accent),
    cursor: sgrSequences([INVERSE_PARAMETER]),
    alert: sgrSequences([BOLD_PARAMETER, INVERSE_PARAMETER], critical),
    'critical-row': sgrSequences([], critical),
    'warning-strong': sgrSequences([BOLD_PARAMETER], warning),
    'unknown-strong': sgrSequences([BOLD_PARAMETER], unknown),
    'ok-strong': sgrSequences([BOLD_PARAMETER], ok),
    'critical-inverse': sgrSequences([INVERSE_PARAMETER], critical),
    'warning-inverse': sgrSequences([INVERSE_PARAMETER], warning),
    'unknown-inverse': sgrSequences([INVERSE_PARAMETER], unknown),
    'ok-inverse': sgrSequences([INVERSE_PARAMETER], ok),
    'flapping-inverse': sgrSequences([INVERSE_PARAMETER], flapping),
    'accent-inverse': sgrSequences([INVERSE_PARAMETER], accent),
  };
}

/**
 * Returns the escape sequences of one tone. As in Ink, each parameter has its own sequence, and the last one turned on
 * is turned off first. Ink would parse text in any other form twice.
 *
 * @param weights SGR parameters that are not colors, from the outermost to the innermost
 */
function sgrSequences(weights: readonly string[], color?: number): SgrSequences {
  const on = color === undefined ? weights : [...weights, foregroundParameter(color)];
  const weightsOff = weights.map((parameter) => WEIGHTS_OFF[parameter] ?? '').toReversed();
  return { on: escapeSequences(on), off: escapeSequences(color === undefined ? weightsOff : ['39', ...weightsOff]) };
}

/** Returns the SGR parameter that selects one of the 256 colors for text. */
function foregroundParameter(color: number): string {
  if (color < 8) return String(30 + color);
  return color < 16 ? String(90 + color - 8) : `38;5;${String(color)}`;
}

function escapeSequences(parameters: readonly string[]): string {
  return parameters.map((parameter) => `\u001B[${parameter}m`).join('');
}

/** The tones of the text of a row, by the tone of the row. */
export const ROW_TEXT: Readonly<Record<RowTone, Tone>> = {
  plain: 'plain',
  faint: 'faint',
  // Bold is for the status alone: a screen of bold rows is tiring to read.
  critical: 'critical-row',
  warning: 'warning',
  unknown: 'unknown',
  ok: 'ok',
};

/** The tones of the text of a row that has just changed, by the tone of the row. */
export const CHANGED_ROW_TEXT: Readonly<Record<RowTone, Tone>> = {
  plain: 'strong',
  faint: 'strong',
  critical: 'critical',
  warning: 'warning-strong',
  unknown: 'unknown-strong',
  ok: 'ok-strong',
};

/** Returns a tone with text and background swapped: it keeps its color, if it has one. */
export function inverseTone(tone: Tone): Tone {
  switch (tone) {
    case 'critical':
    case 'warning':
    case 'unknown':
    case 'ok':
    case 'flapping':
    case 'accent':
      return `${tone}-inverse`;
    case 'critical-row':
    case 'alert':
      return 'critical-inverse';
    default:
      return 'cursor';
  }
}

/** Returns `text` with the escape sequences of a tone around it. The text must already be safe for a terminal. */
export function paintText({ color, skin = 'dark' }: Theme, tone: Tone, text: string): string {
  const { on, off } = SGR_BY_SKIN[color ? skin : 'mono'][tone];
  return text === '' ? text : on + text + off;
}

/** Symbol, word and tone of each severity. Symbol and word are always shown, so that color is never the only sign. */
export const SEVERITY_STYLES: Readonly<
  Record<Severity, { readonly symbol: string; readonly word: string; readonly tone: Tone }>
> = {
  critical: { symbol: '✗', word: 'CRIT', tone: 'critical' },
  warning: { symbol: '!', word: 'WARN', tone: 'warning' },
  unknown: { symbol: '?', word: 'UNKN', tone: 'unknown' },
  ok: { symbol: '✓', word: 'OK', tone: 'ok' },
};

export const SILENCED_SYMBOL = 'S';
/** Symbol of an acknowledged event. */
export const ACKNOWLEDGED_SYMBOL = 'A';
export const FLAPPING_SYMBOL = '~';
export const RECOVERING_SYMBOL = '↑';

/** The signs of a row that stands for several rows, which are hidden or shown below it. */
export const FOLDED_SYMBOL = '▸';
export const UNFOLDED_SYMBOL = '▾';

export function classTone(kind: EventClass): Tone {
  return kind === 'silenced' ? 'silenced' : SEVERITY_STYLES[kind].tone;
}

const ASCII_SYMBOLS: ReadonlyMap<string, string> = new Map([
  ...pairSymbols('✗✓●•‖…–', 'X.**=.-'),
  ...pairSymbols('▼▲↑↓←→›▸▾', 'v^^v<>>+-'),
  ...pairSymbols('─│┌┐└┘┤┬┄', '-|++++++-'),
  ...pairSymbols('━┃┏┓┗┛', '=#####'),
  ...pairSymbols('▁▂▃▄▅▆▇█■', '__..--=##'),
  ...Array.from({ length: 256 }, (_, dots): [string, string] => [
    String.fromCharCode(0x2800 + dots),
    asciiOfDots(dots),
  ]),
]);

/** Returns the ASCII form of a braille character: it shows whether the dots are in the upper or the lower half. */
function asciiOfDots(dots: number): string {
  const isUpper = (dots & 0x1b) !== 0;
  const isLower = (dots & 0xe4) !== 0;
  return isUpper ? (isLower ? ':' : "'") : isLower ? '.' : ' ';
}

function pairSymbols(from: string, to: string): [string, string][] {
  return Array.from(from, (symbol, index) => [symbol, to[index] ?? '?']);
}

/**
 * Converts a line for terminals and fonts without Unicode. The console's own symbols get an ASCII form; any other
 * character becomes one `?` for each of its cells, so that columns stay aligned.
 *
 * @param widthOf callback that returns the width of a character in cells
 */
export function toAscii(line: string, widthOf: (character: string) => number): string {
  if (!/[^\u0000-\u007F]/.test(line)) return line;
  return line.replaceAll(/[^\u0000-\u007F]/gu, (symbol) => ASCII_SYMBOLS.get(symbol) ?? '?'.repeat(widthOf(symbol)));
}

/** The class of an event: its severity, or `silenced`, which is the least urgent class. */
export type EventClass = 'critical' | 'warning' | 'unknown' | 'ok' | 'silenced';
