import type { KeyContext } from '../state/key-context.ts';

/** A key as the decoder reports it, as far as bindings care. */
export interface KeyPress {
  readonly name: string;
  readonly text?: string;
  readonly ctrl: boolean;
  readonly meta: boolean;
  readonly shift: boolean;
}

/** The views that are lists: what moves, marks, sorts and filters means the same in each. */
const LISTS = ['events', 'silences', 'aggregates', 'clients', 'checks', 'dead-letters'] as const;

/** What can be paused, and has a log of what was said. A plan for an upgrade goes on, and has a log of its own. */
const VIEWS_PAUSED = [...LISTS, 'overview', 'upgrade'] as const;

const VIEWS_ALL = [...VIEWS_PAUSED, 'plan'] as const;

/** Where there can be more rows than the screen has. */
const SCROLLED = [
  ...VIEWS_ALL,
  'detail',
  'inspect',
  'handling',
  'dead-letter',
  'silence-entry',
  'plan-page',
  'help',
  'log',
] as const;

/** What is read from top to bottom. */
const TEXTS = ['detail', 'inspect', 'handling', 'dead-letter'] as const;

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
    in: ['events', 'detail', 'inspect', 'clients'],
    help: 'silence the marked events or clients, or that at the cursor',
    hint: 'silence',
    changes: true,
  },
  resolve: {
    keys: ['r'],
    in: ['events', 'detail', 'inspect'],
    help: 'resolve the marked events, or the one at the cursor',
    hint: 'resolve',
    changes: true,
  },
  unsilence: {
    keys: ['u'],
    in: ['events', 'detail'],
    help: 'end the silences on the marked events, or on the one at the cursor',
    changes: true,
  },
  acknowledge: {
    keys: ['K'],
    in: ['events', 'detail', 'inspect'],
    help: 'acknowledge: silence exactly these events until they resolve',
    changes: true,
  },
  'repeat-silence': {
    keys: ['S'],
    in: ['events', 'detail'],
    help: 'silence these events as the last ones were',
    changes: true,
  },
  delete: {
    keys: ['D'],
    in: ['events', 'detail'],
    help: 'delete: resolve the events and forget their results and history',
    changes: true,
  },
  'delete-client': {
    keys: ['D'],
    in: ['clients', 'inspect'],
    help: 'delete the marked clients, or the one at the cursor, with all that is known of them',
    changes: true,
  },
  'silence-change': {
    keys: ['e'],
    in: ['silences', 'silence-entry'],
    help: 'change or extend the marked silences, or the one at the cursor; they keep their author',
    hint: 'change',
    changes: true,
  },
  'silence-end': {
    keys: ['u'],
    in: ['silences', 'silence-entry'],
    help: 'end the marked silences now, or the one at the cursor',
    hint: 'end',
    changes: true,
  },
  'silence-delete': {
    keys: ['D'],
    in: ['silences', 'silence-entry'],
    help: 'delete the marked silences, or the one at the cursor: the same, but Enter alone cancels',
    changes: true,
  },
  'silence-again': {
    keys: ['n'],
    in: ['silences', 'silence-entry'],
    help: 'make ended silences again',
    hint: 'again',
    changes: true,
  },
  'silence-filter': {
    keys: ['f'],
    in: ['silences'],
    help: 'choose which silences to show: active, pending, expiring, ended, mine, matching nothing',
    hint: 'show',
  },
  'dead-letter-retry': {
    keys: ['T'],
    in: ['dead-letters', 'dead-letter'],
    help: 'run the handlers of the marked dead letters again, or of the one at the cursor',
    hint: 'retry',
    changes: true,
  },
  'dead-letter-drop': {
    keys: ['D'],
    in: ['dead-letters', 'dead-letter'],
    help: 'drop the marked dead letters, or the one at the cursor: nobody is told of these events any more',
    hint: 'drop',
    changes: true,
  },
  'dead-letter-event': {
    keys: ['enter'],
    in: ['dead-letter'],
    help: 'open the event of the dead letter as it is now',
    hint: 'event',
  },
  'plan-run': {
    keys: ['enter'],
    in: ['plan'],
    help: 'run the step of the plan whose turn it is, or confirm that it is done',
    hint: 'run step',
    changes: true,
  },
  'plan-skip': { keys: ['n'], in: ['plan'], help: 'skip the step, for a reason', hint: 'skip', changes: true },
  'plan-roll-back': {
    keys: ['b'],
    in: ['plan'],
    help: 'end the plan and go back to its backup',
    hint: 'roll back',
    changes: true,
  },
  'plan-log': { keys: ['L'], in: ['plan'], help: 'the whole log of the plan', hint: 'log' },
  'plan-details': {
    keys: ['d'],
    in: ['plan'],
    help: 'all about the step under the cursor, and what the rules found',
    hint: 'details',
  },
  'plan-hold': {
    keys: ['p'],
    in: ['plan'],
    help: 'take the plan, or let go of it; asks when somebody else holds it',
    hint: 'hold',
    changes: true,
  },
  'plan-copy': { keys: ['c'], in: ['plan'], help: 'copy the command of the step', hint: 'copy' },
  'plan-abandon': { keys: ['D'], in: ['plan'], help: 'abandon the plan, for a reason', changes: true },
  'plan-new': { keys: ['n'], in: ['upgrade'], help: 'make a plan for an upgrade', hint: 'new plan', changes: true },
  'plan-page': {
    keys: ['tab'],
    in: ['upgrade', 'plan'],
    help: 'between what runs where and the plan for the upgrade',
    hint: 'other page',
  },
  mark: { keys: ['space'], in: [...LISTS, 'inspect'], help: 'mark and go to the next row', hint: 'mark' },
  range: { keys: ['V', 'ctrl-space'], in: [...LISTS], help: 'mark everything from the last mark to the cursor' },
  'mark-all': { keys: ['a'], in: [...LISTS, 'inspect'], help: 'mark all rows that the filter shows', hint: 'mark all' },
  'clear-marks': { keys: ['A'], in: [...LISTS, 'inspect'], help: 'clear all marks' },
  open: {
    keys: ['enter'],
    in: [...LISTS, 'inspect'],
    help: 'open what is under the cursor',
    hint: 'detail',
  },
  reload: { keys: ['enter'], in: ['detail'], help: 'load the newest state of this event' },
  filter: {
    keys: ['/'],
    in: [...LISTS],
    help: 'filter: words, !word, field=value, field~pattern, field>=number, age>1h, and, or, ( )',
    hint: 'filter',
  },
  json: { keys: ['y'], in: ['events', 'detail', 'inspect'], help: 'the raw JSON', hint: 'json' },
  'scroll-left': { keys: ['h', 'left'], in: [...LISTS, 'inspect'], help: 'columns to the left again' },
  'scroll-right': {
    keys: ['l', 'right'],
    in: [...LISTS, 'inspect'],
    help: 'columns to the right that did not fit; then the rest of the last one',
  },
  wide: { keys: ['w'], in: [...LISTS, 'inspect'], help: 'whole names and texts in columns, or as wide as fits' },
  follow: {
    keys: ['f'],
    in: ['events', 'dead-letters', 'log'],
    help: 'follow the newest: the cursor stays on it until it is moved',
  },
  wrap: { keys: ['w'], in: ['detail'], help: 'wrap long lines, or cut them', hint: 'wrap' },
  why: {
    keys: ['W'],
    in: ['events', 'detail', 'inspect', 'dead-letters', 'dead-letter'],
    help: 'why was nobody paged: what becomes of the event at each handler',
  },
  sort: { keys: ['o'], in: [...LISTS, 'inspect'], help: 'choose the column to sort by', hint: 'sort' },
  'box-open': { keys: ['enter'], in: ['overview'], help: 'open the row under the cursor as a list', hint: 'open' },
  'box-next': { keys: ['tab'], in: ['overview'], help: 'next box', hint: 'next box' },
  'box-previous': { keys: ['shift-tab'], in: ['overview'], help: 'box before' },
  'sort-reverse': { keys: ['O'], in: [...LISTS, 'inspect'], help: 'sort the other way round' },
  'sort-left': { keys: ['<'], in: [...LISTS, 'inspect'], help: 'sort by the column to the left' },
  'sort-right': { keys: ['>'], in: [...LISTS, 'inspect'], help: 'sort by the column to the right' },
  columns: { keys: ['C'], in: [...LISTS], help: 'choose the columns to show' },
  actions: {
    keys: ['x'],
    in: [...LISTS, 'inspect', 'plan'],
    help: 'menu of what can be done with the marked rows',
    hint: 'actions',
  },
  view: {
    keys: ['1', '2', '3', '4', '5', '6', '7'],
    in: [...VIEWS_ALL],
    help: 'open the view of that number, unless a movement follows: then it is a count',
  },
  views: { keys: ['v'], in: [...VIEWS_ALL], help: 'menu of the views, and of those that were saved' },
  'save-view': {
    keys: ['ctrl-s'],
    in: [...VIEWS_ALL],
    help: 'save the view with its filter, order and columns under a name',
  },
  command: {
    keys: [':'],
    in: [...VIEWS_ALL, 'detail', 'inspect', 'handling', 'dead-letter', 'silence-entry', 'plan-page', 'log'],
    help: 'command line: every action by its name, and more',
  },
  header: { keys: ['ctrl-e'], in: [...VIEWS_ALL], help: 'counters and tabs at the top, on or off (from 30 rows on)' },
  'view-back': { keys: ['['], in: [...VIEWS_ALL], help: 'back to the view before' },
  'view-forward': { keys: [']'], in: [...VIEWS_ALL], help: 'forward again' },
  'view-last': { keys: ['-'], in: [...VIEWS_ALL], help: 'between this view and the last one' },
  pause: {
    keys: ['p'],
    in: [...VIEWS_PAUSED, 'silence-entry', 'detail', 'inspect', 'handling', 'dead-letter'],
    help: 'pause the feed, or resume it',
    hint: 'pause',
  },
  down: { keys: ['j', 'down'], in: [...SCROLLED], help: 'down; 5j goes five rows' },
  up: { keys: ['k', 'up'], in: [...SCROLLED], help: 'up' },
  'half-down': { keys: ['ctrl-d'], in: [...SCROLLED], help: 'half a page down' },
  'half-up': { keys: ['ctrl-u'], in: [...SCROLLED], help: 'half a page up' },
  'page-down': { keys: ['pagedown', 'ctrl-f'], in: [...SCROLLED], help: 'a page down' },
  'page-up': { keys: ['pageup', 'ctrl-b'], in: [...SCROLLED], help: 'a page up' },
  top: { keys: ['g', 'home'], in: [...SCROLLED], help: 'to the top; 12g goes to row 12' },
  bottom: { keys: ['G', 'end'], in: [...SCROLLED], help: 'to the bottom' },
  'next-critical': { keys: ['e'], in: ['events'], help: 'next critical event' },
  'previous-critical': { keys: ['E'], in: ['events'], help: 'previous critical event' },
  undo: {
    keys: ['z', 'ctrl-z'],
    in: [...VIEWS_ALL, 'silence-entry', 'detail', 'inspect'],
    help: 'undo the last own change (of the last 20, for 10 minutes)',
    changes: true,
  },
  pane: { keys: ['tab'], in: ['events'], help: 'show or hide the pane below the list (from 30 rows on)' },
  run: {
    keys: ['R'],
    in: ['events', 'detail', 'checks', 'inspect'],
    help: 'run the check now, out of turn; without a connection: reconnect',
    hint: 'run now',
  },
  reconnect: {
    keys: ['R'],
    in: ['overview', 'silences', 'aggregates', 'clients', 'upgrade', 'plan', 'dead-letters', 'dead-letter', 'handling'],
    help: 'reconnect now',
  },
  resync: {
    keys: ['ctrl-r'],
    in: [...VIEWS_ALL, 'silence-entry', 'detail', 'inspect', 'handling', 'dead-letter'],
    help: 'load everything from the backend again',
  },
  repaint: {
    keys: ['ctrl-l'],
    in: [...SCROLLED, 'confirm', 'form', 'prompt', 'search', 'menu', 'command'],
    help: 'draw the screen again',
  },
  lock: {
    keys: ['!'],
    in: [...VIEWS_ALL, 'silence-entry', 'detail', 'inspect', 'dead-letter'],
    help: 'read-only lock on or off',
  },
  copy: {
    keys: ['c'],
    in: [...LISTS, 'detail', 'inspect'],
    help: 'menu of what can be copied: id, names, JSON, commands',
  },
  runbook: { keys: ['b'], in: ['events', 'detail'], help: 'show the link to the runbook of the check, to copy it' },
  mute: { keys: ['m'], in: [...VIEWS_ALL, 'detail'], help: 'no bell for 15 minutes, or let it ring again' },
  log: {
    keys: ['L'],
    in: [...VIEWS_PAUSED, 'detail', 'inspect', 'handling', 'dead-letter', 'plan-page'],
    help: 'what the console has said and what operators did',
  },
  'log-open': { keys: ['enter'], in: ['log'], help: 'the whole entry under the cursor', hint: 'details' },
  'log-tab': {
    keys: ['tab', 'shift-tab'],
    in: ['log'],
    help: 'messages of this console, or what operators did',
    hint: 'other list',
  },
  'help-run': { keys: ['enter'], in: ['help'], help: 'do what the line under the cursor says', hint: 'do it' },
  search: {
    keys: ['/'],
    in: ['log', 'help', ...TEXTS],
    help: 'search: lines with these words; in the rows of a client or check a filter, as in lists',
    hint: 'search',
  },
  'match-next': { keys: ['n'], in: ['log', 'help', ...TEXTS], help: 'next match of the search' },
  'match-previous': { keys: ['N'], in: ['log', 'help', ...TEXTS], help: 'match before' },
  help: { keys: ['?', 'f1'], in: [...SCROLLED], help: 'this help', hint: 'help' },
  close: {
    keys: ['escape', 'q'],
    in: ['detail', 'inspect', 'handling', 'dead-letter', 'silence-entry', 'plan-page', 'help', 'log'],
    help: 'back to the list',
    hint: 'back',
  },
  back: {
    keys: ['escape'],
    in: [...VIEWS_ALL],
    help: 'clear the marks, then the filter; then back to the view before',
  },
  quit: { keys: ['q'], in: [...VIEWS_ALL], help: 'quit' },
  interrupt: {
    keys: ['ctrl-c'],
    in: [...SCROLLED, 'confirm', 'form', 'prompt', 'search', 'menu', 'command'],
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
  'menu-choose': { keys: ['enter'], in: ['menu'], help: 'choose this', hint: 'choose' },
  'menu-toggle': { keys: ['space'], in: ['menu'], help: 'tick it, or take the tick away, where there are boxes' },
  'menu-down': { keys: ['down', 'ctrl-n', 'tab'], in: ['menu'], help: 'next choice' },
  'menu-up': { keys: ['up', 'ctrl-p', 'shift-tab'], in: ['menu'], help: 'choice before' },
  'menu-close': { keys: ['escape'], in: ['menu'], help: 'leave the menu', hint: 'close' },
  'search-keep': { keys: ['enter'], in: ['search'], help: 'keep the search', hint: 'keep' },
  'search-clear': { keys: ['escape'], in: ['search'], help: 'clear the search', hint: 'clear' },
  'prompt-accept': { keys: ['enter'], in: ['prompt'], help: 'keep the filter', hint: 'keep' },
  'prompt-cancel': { keys: ['escape'], in: ['prompt'], help: 'clear the filter', hint: 'clear' },
  'prompt-older': { keys: ['up'], in: ['prompt'], help: 'an earlier filter', hint: 'history' },
  'prompt-newer': { keys: ['down'], in: ['prompt'], help: 'a later filter' },
  'command-run': { keys: ['enter'], in: ['command'], help: 'do it', hint: 'run' },
  'command-next': { keys: ['tab'], in: ['command'], help: 'complete the word; again for the next candidate' },
  'command-previous': { keys: ['shift-tab'], in: ['command'], help: 'the candidate before' },
  'command-older': { keys: ['up'], in: ['command'], help: 'an earlier command' },
  'command-newer': { keys: ['down'], in: ['command'], help: 'a later command' },
  'command-cancel': { keys: ['escape'], in: ['command'], help: 'leave the line', hint: 'cancel' },
} as const satisfies Readonly<Record<string, Binding>>;

export type KeyAction = keyof typeof KEYS;

/** Other keys for some actions, as the configuration file says. */
export type OwnKeys = Readonly<Partial<Record<KeyAction, readonly [string, ...string[]]>>>;

type BoundAction = readonly [KeyAction, Binding];

/** What is in effect. There is one keyboard, so this is the one thing that the whole program shares. */
let bound: readonly BoundAction[] = boundWith({});
let byContext = contextsOf(bound);

/** Every binding in the order of the table, with the keys that are in effect. */
export function bindings(): readonly BoundAction[] {
  return bound;
}

/** The table with other keys for some actions; the others keep theirs. */
export function boundWith(own: OwnKeys): readonly BoundAction[] {
  const table = Object.entries(KEYS) as unknown as readonly BoundAction[];
  return table.map(([action, binding]) => [action, { ...binding, keys: own[action] ?? binding.keys }]);
}

/** Puts these keys into effect, in place of any others given before. They must be free of conflicts. */
export function bindKeys(own: OwnKeys): void {
  bound = boundWith(own);
  byContext = contextsOf(bound);
}

function contextsOf(all: readonly BoundAction[]): ReadonlyMap<string, KeyAction> {
  const actions = new Map<string, KeyAction>();
  for (const [action, binding] of all) {
    for (const context of binding.in) for (const key of binding.keys) actions.set(`${context} ${key}`, action);
  }
  return actions;
}

/** The keys that do an action now. */
export function keysOf(action: KeyAction): Binding['keys'] {
  return bound.find(([name]) => name === action)?.[1].keys ?? KEYS[action].keys;
}

/** The key of an action as people read it: the first one where there are several. */
export function keyOf(action: KeyAction): string {
  return keyLabel(keysOf(action)[0]);
}

/** The key with its modifiers, as bindings write it: `j`, `G`, `ctrl-d`, `shift-tab`. */
export function chordOf(key: KeyPress): string {
  // Shift is part of a printable character already.
  const shift = key.shift && key.text === undefined ? 'shift-' : '';
  return `${key.ctrl ? 'ctrl-' : ''}${key.meta ? 'meta-' : ''}${shift}${key.name}`;
}

/** The key of a chord, as if it was pressed: `chordOf` gives the chord again. */
export function keyOfChord(chord: string): KeyPress {
  const [, modifiers = '', name = ''] = /^((?:ctrl-|meta-|shift-)*)(.+)$/.exec(chord) ?? [];
  const ctrl = modifiers.includes('ctrl-');
  const meta = modifiers.includes('meta-');
  const text = name === 'space' ? ' ' : name.length === 1 ? name : undefined;
  const isText = text !== undefined && !ctrl && !meta;
  return { name, ctrl, meta, shift: modifiers.includes('shift-'), ...(isText ? { text } : {}) };
}

export function actionFor(context: KeyContext, key: KeyPress): KeyAction | undefined {
  return byContext.get(`${context} ${chordOf(key)}`);
}

export function isChange(action: KeyAction): boolean {
  return 'changes' in KEYS[action];
}

/** A key as people read it: `Space`, `Ctrl-D`, `PgDn`, `j`. */
export function keyLabel(chord: string): string {
  const label = KEY_LABELS.get(chord);
  if (label !== undefined) return label;
  if (/^f\d+$/.test(chord)) return chord.toUpperCase();
  return chord.replace(/^ctrl-(.)$/, (_, letter: string) => `Ctrl-${letter.toUpperCase()}`);
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
  ['ctrl-space', 'Ctrl-Space'],
]);
