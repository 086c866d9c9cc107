import type { Severity } from '../../shared/domain/severity.ts';

/**
 * The style of a piece of text. A tone is named after its meaning and not after a color; the skin assigns colors to
 * tones.
 */
export type Tone =
  | 'plain'
  | 'strong'
  | 'faint'
  | 'critical'
  | 'warning'
  | 'unknown'
  | 'ok'
  | 'silenced'
  | 'flapping'
  | 'accent'
  | 'cursor'
  | 'alert';

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

/** The complete escape sequences that turn a tone on and off. */
interface Sgr {
  readonly on: string;
  readonly off: string;
}

/**
 * SGR parameters of a tone that are not colors, such as bold, from the outermost to the innermost. Even without colors,
 * each status still has its symbol and word.
 */
const WEIGHTS: Readonly<Record<Tone, readonly string[]>> = {
  plain: [],
  strong: ['1'],
  faint: ['2'],
  critical: ['1'],
  warning: [],
  unknown: [],
  ok: [],
  silenced: ['2'],
  flapping: [],
  accent: [],
  cursor: ['7'],
  alert: ['1', '7'],
};

const WEIGHTS_OFF: Readonly<Record<string, string>> = { '1': '22', '2': '22', '7': '27' };

type Colored = 'critical' | 'warning' | 'unknown' | 'ok' | 'flapping' | 'accent' | 'alert';

/**
 * Foreground colors of each skin (color scheme). `dark` uses the sixteen colors that the theme of the terminal defines.
 * The other skins need exact colors, so they use those of the 256 colors that every terminal draws alike.
 */
const COLORS: Readonly<Record<Exclude<Skin, 'mono'>, Readonly<Record<Colored, string>>>> = {
  dark: { critical: '31', warning: '33', unknown: '35', ok: '32', flapping: '36', accent: '36', alert: '31' },
  // Yellow and cyan are unreadable on white.
  light: palette({ critical: 124, warning: 130, unknown: 90, ok: 22, flapping: 24, accent: 24 }),
  // These colors range from orange to blue and vary in brightness, so they differ without red and green.
  deuteranopia: palette({ critical: 208, warning: 227, unknown: 255, ok: 33, flapping: 117, accent: 117 }),
  // These colors range from red to teal, so they differ without blue and yellow.
  tritanopia: palette({ critical: 197, warning: 217, unknown: 255, ok: 37, flapping: 87, accent: 87 }),
};

function palette(colors: Readonly<Record<Exclude<Colored, 'alert'>, number>>): Readonly<Record<Colored, string>> {
  const all = { ...colors, alert: colors.critical };
  return Object.fromEntries(Object.entries(all).map(([tone, number]) => [tone, `38;5;${String(number)}`])) as Record<
    Colored,
    string
  >;
}

/**
 * The escape sequences that turn a tone on and off, by skin. They replace Ink's `<Text>` properties for two reasons:
 * Ink drops bold and inverse along with the colors under NO_COLOR, and one string per row is the fastest to draw. As in
 * Ink, each parameter has its own sequence, and the last one turned on is turned off first. Ink would parse text in any
 * other form twice.
 */
const SGR = Object.fromEntries(SKINS.map((skin) => [skin, sgrOf(skin)])) as Readonly<
  Record<Skin, Readonly<Record<Tone, Sgr>>>
>;

function sgrOf(skin: Skin): Readonly<Record<Tone, Sgr>> {
  const colors: Partial<Readonly<Record<string, string>>> = skin === 'mono' ? {} : COLORS[skin];
  return Object.fromEntries(
    Object.entries(WEIGHTS).map(([tone, weight]) => {
      const color = colors[tone] ?? '';
      const on = [...weight, color];
      const off = [color === '' ? '' : '39', ...weight.map((parameter) => WEIGHTS_OFF[parameter] ?? '').toReversed()];
      return [tone, { on: sequences(on), off: sequences(off) }];
    }),
  ) as Record<Tone, Sgr>;
}

function sequences(parameters: readonly string[]): string {
  return parameters.map((parameter) => (parameter === '' ? '' : `\u001B[${parameter}m`)).join('');
}

/** Returns `text` with the escape sequences of a tone around it. The text must already be safe for a terminal. */
export function paint({ color, skin = 'dark' }: Theme, tone: Tone, text: string): string {
  const { on, off } = SGR[color ? skin : 'mono'][tone];
  return text === '' ? text : on + text + off;
}

/** Symbol, word and tone of each severity. Symbol and word are always shown, so that color is never the only sign. */
export const STATUS: Readonly<
  Record<Severity, { readonly symbol: string; readonly word: string; readonly tone: Tone }>
> = {
  critical: { symbol: '✗', word: 'CRIT', tone: 'critical' },
  warning: { symbol: '!', word: 'WARN', tone: 'warning' },
  unknown: { symbol: '?', word: 'UNKN', tone: 'unknown' },
  ok: { symbol: '✓', word: 'OK', tone: 'ok' },
};

export const SILENCED_SYMBOL = 'S';
export const FLAPPING_SYMBOL = '~';
export const RECOVERING_SYMBOL = '↑';

export function classTone(kind: EventClass): Tone {
  return kind === 'silenced' ? 'silenced' : STATUS[kind].tone;
}

const ASCII: ReadonlyMap<string, string> = new Map([
  ...pairs('✗✓●•‖…', 'X.**=.'),
  ...pairs('▼▲↑↓←→›', 'v^^v<>>'),
  ...pairs('─│┌┐└┘┤┬┄', '-|++++++-'),
  ...pairs('━┃┏┓┗┛', '=#####'),
  ...pairs('▁▂▃▄▅▆▇█■', '__..--=##'),
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

function pairs(from: string, to: string): [string, string][] {
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
  return line.replaceAll(/[^\u0000-\u007F]/gu, (symbol) => ASCII.get(symbol) ?? '?'.repeat(widthOf(symbol)));
}

/** The class of an event: its severity, or `silenced`, which is the least urgent class. */
export type EventClass = 'critical' | 'warning' | 'unknown' | 'ok' | 'silenced';
