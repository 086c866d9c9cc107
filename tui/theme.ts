import type { Severity } from '../shared/domain/severity.ts';
import type { EventClass } from './store/event-record.ts';

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

export function run(text: string, tone: Tone = 'plain'): Run {
  return { text, tone };
}

export interface Theme {
  /** Without color: bold, dim and inverse stay, since they are not colors. */
  readonly color: boolean;
  /** Only ASCII leaves the console. */
  readonly ascii: boolean;
}

/**
 * SGR parameters that turn a tone on and off. Written by us instead of by Ink's `<Text>` properties, because Ink drops
 * bold and inverse along with the colors under NO_COLOR, and because one string per row is the cheapest row.
 */
const SGR: Readonly<Record<Tone, { readonly on: string; readonly mono: string; readonly off: string }>> = {
  plain: { on: '', mono: '', off: '' },
  strong: { on: '1', mono: '1', off: '22' },
  faint: { on: '2', mono: '2', off: '22' },
  critical: { on: '1;31', mono: '1', off: '22;39' },
  warning: { on: '33', mono: '', off: '39' },
  unknown: { on: '35', mono: '', off: '39' },
  ok: { on: '32', mono: '', off: '39' },
  silenced: { on: '2', mono: '2', off: '22' },
  flapping: { on: '36', mono: '', off: '39' },
  accent: { on: '36', mono: '', off: '39' },
  cursor: { on: '7', mono: '7', off: '27' },
  alert: { on: '1;7;31', mono: '1;7', off: '22;27;39' },
};

const MONO_OFF: Readonly<Record<string, string>> = { '1': '22', '2': '22', '7': '27', '1;7': '22;27' };

/** `text` in a tone. The text must be safe for a terminal already. */
export function paint(theme: Theme, tone: Tone, text: string): string {
  const { on, mono, off } = SGR[tone];
  const start = theme.color ? on : mono;
  if (start === '' || text === '') return text;
  return `\u001B[${start}m${text}\u001B[${theme.color ? off : (MONO_OFF[mono] ?? '0')}m`;
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
