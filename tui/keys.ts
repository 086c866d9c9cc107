/** A key as the decoder reports it, as far as bindings care. */
export interface KeyPress {
  readonly name: string;
  readonly text?: string;
  readonly ctrl: boolean;
  readonly meta: boolean;
  readonly shift: boolean;
}

/** Where a binding is in effect. */
export type KeyContext = 'list' | 'detail' | 'help' | 'confirm' | 'form' | 'prompt';

export interface Binding {
  /** As `chordOf` writes them, the one to show first. */
  readonly keys: readonly [string, ...string[]];
  readonly in: readonly [KeyContext, ...KeyContext[]];
  /** What it does, for the help. */
  readonly help: string;
  /** A word or two for the footer, in the order of this table. Without it only the help tells. */
  readonly hint?: string;
  /** It changes something at the backend: inert while disconnected and in read-only mode. */
  readonly changes?: true;
}

/**
 * Every key binding of the console: what is pressed, shown in the footer and explained in the help comes from here.
 * Text fields see none of them but their own.
 */
export const KEYS = {
  silence: {
    keys: ['s'],
    in: ['list', 'detail'],
    help: 'silence the marked events, or the one at the cursor',
    hint: 'silence',
    changes: true,
  },
  resolve: {
    keys: ['r'],
    in: ['list', 'detail'],
    help: 'resolve the marked events, or the one at the cursor',
    hint: 'resolve',
    changes: true,
  },
  unsilence: {
    keys: ['u'],
    in: ['list', 'detail'],
    help: 'end the silences on the event under the cursor',
    changes: true,
  },
  mark: { keys: ['space'], in: ['list'], help: 'mark and go to the next row', hint: 'mark' },
  range: { keys: ['V', 'ctrl-space'], in: ['list'], help: 'mark everything from the last mark to the cursor' },
  'mark-all': { keys: ['a'], in: ['list'], help: 'mark all events that the filter shows', hint: 'mark all' },
  'clear-marks': { keys: ['A'], in: ['list'], help: 'clear all marks' },
  open: { keys: ['enter'], in: ['list'], help: 'open the event under the cursor', hint: 'detail' },
  reload: { keys: ['enter'], in: ['detail'], help: 'load the newest state of this event' },
  filter: {
    keys: ['/'],
    in: ['list'],
    help: 'filter: words, !word, field=value, status>=warn, age>1h',
    hint: 'filter',
  },
  json: { keys: ['y'], in: ['list', 'detail'], help: 'raw JSON of the event', hint: 'json' },
  wrap: { keys: ['w'], in: ['detail'], help: 'wrap long lines, or cut them', hint: 'wrap' },
  pause: { keys: ['p'], in: ['list', 'detail'], help: 'pause the feed, or resume it', hint: 'pause' },
  down: { keys: ['j', 'down'], in: ['list', 'detail', 'help'], help: 'down; 5j goes five rows' },
  up: { keys: ['k', 'up'], in: ['list', 'detail', 'help'], help: 'up' },
  'half-down': { keys: ['ctrl-d'], in: ['list', 'detail', 'help'], help: 'half a page down' },
  'half-up': { keys: ['ctrl-u'], in: ['list', 'detail', 'help'], help: 'half a page up' },
  'page-down': { keys: ['pagedown', 'ctrl-f'], in: ['list', 'detail', 'help'], help: 'a page down' },
  'page-up': { keys: ['pageup', 'ctrl-b'], in: ['list', 'detail', 'help'], help: 'a page up' },
  top: { keys: ['g', 'home'], in: ['list', 'detail', 'help'], help: 'to the top; 12g goes to row 12' },
  bottom: { keys: ['G', 'end'], in: ['list', 'detail', 'help'], help: 'to the bottom' },
  'next-critical': { keys: ['e'], in: ['list'], help: 'next critical event' },
  'previous-critical': { keys: ['E'], in: ['list'], help: 'previous critical event' },
  pane: { keys: ['tab', 'ctrl-e'], in: ['list'], help: 'show or hide the pane below the list (from 30 rows on)' },
  reconnect: { keys: ['R'], in: ['list', 'detail'], help: 'reconnect now' },
  resync: { keys: ['ctrl-r'], in: ['list', 'detail'], help: 'load everything from the backend again' },
  repaint: {
    keys: ['ctrl-l'],
    in: ['list', 'detail', 'help', 'confirm', 'form', 'prompt'],
    help: 'draw the screen again',
  },
  lock: { keys: ['!'], in: ['list', 'detail'], help: 'read-only lock on or off' },
  help: { keys: ['?', 'f1'], in: ['list', 'detail', 'help'], help: 'this help', hint: 'help' },
  close: { keys: ['escape', 'q'], in: ['detail', 'help'], help: 'back to the list', hint: 'back' },
  back: { keys: ['escape'], in: ['list'], help: 'clear the marks, then the filter' },
  quit: { keys: ['q'], in: ['list'], help: 'quit' },
  interrupt: {
    keys: ['ctrl-c'],
    in: ['list', 'detail', 'help', 'confirm', 'form', 'prompt'],
    help: 'quit, when pressed twice within a second',
  },
  'confirm-yes': { keys: ['y', 'ctrl-s'], in: ['confirm'], help: 'do it', hint: 'yes' },
  'confirm-no': { keys: ['escape', 'n', 'q'], in: ['confirm'], help: 'cancel', hint: 'no' },
  'confirm-press': { keys: ['enter', 'space'], in: ['confirm'], help: 'press the button', hint: 'press' },
  'confirm-choose': {
    keys: ['tab', 'shift-tab', 'left', 'right'],
    in: ['confirm'],
    help: 'other button',
    hint: 'choose',
  },
  'form-next': { keys: ['tab', 'down'], in: ['form'], help: 'next field', hint: 'next field' },
  'form-previous': { keys: ['shift-tab', 'up'], in: ['form'], help: 'previous field' },
  'form-submit': { keys: ['ctrl-s'], in: ['form'], help: 'send it', hint: 'submit', changes: true },
  'form-enter': { keys: ['enter'], in: ['form'], help: 'press the button, or go to the next field' },
  'form-cancel': { keys: ['escape'], in: ['form'], help: 'cancel', hint: 'cancel' },
  'prompt-accept': { keys: ['enter'], in: ['prompt'], help: 'keep the filter', hint: 'keep' },
  'prompt-cancel': { keys: ['escape'], in: ['prompt'], help: 'clear the filter', hint: 'clear' },
  'prompt-older': { keys: ['up'], in: ['prompt'], help: 'an earlier filter', hint: 'history' },
  'prompt-newer': { keys: ['down'], in: ['prompt'], help: 'a later filter' },
} as const satisfies Readonly<Record<string, Binding>>;

export type KeyAction = keyof typeof KEYS;

const BY_CONTEXT = new Map<string, KeyAction>();
for (const [action, binding] of bindings()) {
  for (const context of binding.in) for (const key of binding.keys) BY_CONTEXT.set(`${context} ${key}`, action);
}

/** Every binding in the order of the table. */
export function bindings(): readonly (readonly [KeyAction, Binding])[] {
  return Object.entries(KEYS) as unknown as readonly (readonly [KeyAction, Binding])[];
}

/** The key with its modifiers, as bindings write it: `j`, `G`, `ctrl-d`, `shift-tab`. */
export function chordOf(key: KeyPress): string {
  // Shift is part of a printable character already.
  const shift = key.shift && key.text === undefined ? 'shift-' : '';
  return `${key.ctrl ? 'ctrl-' : ''}${key.meta ? 'meta-' : ''}${shift}${key.name}`;
}

export function actionFor(context: KeyContext, key: KeyPress): KeyAction | undefined {
  return BY_CONTEXT.get(`${context} ${chordOf(key)}`);
}

export function isChange(action: KeyAction): boolean {
  return 'changes' in KEYS[action];
}

/** A key as people read it: `Space`, `Ctrl-D`, `PgDn`, `j`. */
export function keyLabel(chord: string): string {
  return KEY_LABELS.get(chord) ?? chord.replace(/^ctrl-(.)$/, (_, letter: string) => `Ctrl-${letter.toUpperCase()}`);
}

const KEY_LABELS: ReadonlyMap<string, string> = new Map([
  ['space', 'Space'],
  ['enter', 'Enter'],
  ['escape', 'Esc'],
  ['tab', 'Tab'],
  ['shift-tab', 'Shift-Tab'],
  ['down', '↓'],
  ['up', '↑'],
  ['left', '←'],
  ['right', '→'],
  ['pagedown', 'PgDn'],
  ['pageup', 'PgUp'],
  ['home', 'Home'],
  ['end', 'End'],
  ['f1', 'F1'],
  ['ctrl-space', 'Ctrl-Space'],
]);
