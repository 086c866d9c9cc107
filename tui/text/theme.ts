import type { Severity } from '../../shared/domain/severity.ts';

/** How a run of text looks. Names say what it means, so that a skin is one table. */
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

/** A piece of a row in one tone. Its text is safe for a terminal. */
export interface Run {
  readonly text: string;
  readonly tone: Tone;
}

/** A row of the screen, or a part of one. */
export type Line = readonly Run[];

export function run(text: string, tone: Tone = 'plain'): Run {
  return { text, tone };
}

/** `deuteranopia` and `tritanopia`: for people who do not see red against green, or blue against yellow. */
export const SKINS = ['dark', 'light', 'deuteranopia', 'tritanopia', 'mono'] as const;
export type Skin = (typeof SKINS)[number];

export function isSkin(name: string): name is Skin {
  return SKINS.includes(name as Skin);
}

export interface Theme {
  /** Without color: bold, dim and inverse stay, since they are not colors. */
  readonly color: boolean;
  /** Only ASCII leaves the console. */
  readonly ascii: boolean;
  /** Default `dark`. */
  readonly skin?: Skin;
}

/** Whole sequences. */
interface Sgr {
  readonly on: string;
  readonly off: string;
}

/**
 * SGR parameters of a tone that are no color, from the outermost to the innermost. With them alone each tone of a status
 * still has its symbol and word.
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
 * Foreground colors of each skin. `dark` has the sixteen colors of the terminal, so that its own theme rules; the others
 * need colors that stay apart, and take them from the 256 that every terminal draws alike.
 */
const COLORS: Readonly<Record<Exclude<Skin, 'mono'>, Readonly<Record<Colored, string>>>> = {
  dark: { critical: '31', warning: '33', unknown: '35', ok: '32', flapping: '36', accent: '36', alert: '31' },
  // Yellow and cyan cannot be read on white.
  light: palette({ critical: 124, warning: 130, unknown: 90, ok: 22, flapping: 24, accent: 24 }),
  // From orange to blue, which stay apart without red or without green; brightness tells the rest.
  deuteranopia: palette({ critical: 208, warning: 227, unknown: 255, ok: 33, flapping: 117, accent: 117 }),
  // From red to teal, which stay apart without blue.
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
 * What turns a tone on and off, by skin. Written by us instead of by Ink's `<Text>` properties, because Ink drops bold
 * and inverse along with the colors under NO_COLOR, and because one string per row is the cheapest row. It is written as
 * Ink itself would, a sequence for each parameter and the last turned off first: any other text Ink takes apart twice.
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

/** `text` in a tone. The text must be safe for a terminal already. */
export function paint({ color, skin = 'dark' }: Theme, tone: Tone, text: string): string {
  const { on, off } = SGR[color ? skin : 'mono'][tone];
  return text === '' ? text : on + text + off;
}

/** Symbol and word of a severity, always together, so that color is never the only sign. */
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
  ...pairs('─│┌┐└┘', '-|++++'),
  ...pairs('▁▂▃▄▅▆▇█■', '__..--=##'),
]);

function pairs(from: string, to: string): [string, string][] {
  return Array.from(from, (symbol, index) => [symbol, to[index] ?? '?']);
}

/**
 * A line for terminals and fonts without Unicode: our own symbols get their ASCII form, anything else becomes `?`, two
 * where it took two cells, so that columns stay where they are.
 *
 * @param widthOf cells of a character
 */
export function toAscii(line: string, widthOf: (character: string) => number): string {
  if (!/[^\u0000-\u007F]/.test(line)) return line;
  return line.replaceAll(/[^\u0000-\u007F]/gu, (symbol) => ASCII.get(symbol) ?? '?'.repeat(widthOf(symbol)));
}

/** What a row is shown as: the severity, or `silenced`, which people look at last. */
export type EventClass = 'critical' | 'warning' | 'unknown' | 'ok' | 'silenced';
