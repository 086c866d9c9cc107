import type { KeyContext } from './key-context.ts';

/** A key as the decoder reports it, as far as bindings care. */
export interface KeyPress {
  readonly name: string;
  readonly text?: string;
  readonly ctrl: boolean;
  readonly meta: boolean;
  readonly shift: boolean;
}

export interface Binding {
  /** As `chordOf` writes them, the one to show first. */
  readonly keys: readonly [string, ...string[]];
  readonly in: readonly [KeyContext, ...KeyContext[]];
  /** What it does, for the help. */
  readonly help: string;
  /** A word or two for the footer, in the order of this table. Without it only the help tells. */
  readonly hint?: string;
  /** The action changes something at the backend: inert while disconnected and in read-only mode. */
  readonly changes?: true;
}

/** Every action by its name. Footer and help have them in this order; what they are says the file of their noun. */
const ACTION_NAMES = [
  'silence',
  'resolve',
  'unsilence',
  'acknowledge',
  'repeat-silence',
  'delete',
  'delete-client',
  'silence-change',
  'silence-end',
  'silence-delete',
  'silence-recreate',
  'silence-filter',
  'dead-letter-retry',
  'dead-letter-drop',
  'dead-letter-event',
  'inhibitor',
  'hand-over',
  'plan-run',
  'plan-skip',
  'plan-roll-back',
  'plan-log',
  'plan-details',
  'plan-hold',
  'plan-copy',
  'plan-abandon',
  'plan-new',
  'plan-page',
  'mark',
  'range',
  'mark-all',
  'clear-marks',
  'open',
  'reload',
  'filter',
  'json',
  'scroll-left',
  'scroll-right',
  'wide',
  'follow',
  'wrap',
  'explain',
  'timeline',
  'timeline-longer',
  'timeline-shorter',
  'outage-previous',
  'outage-next',
  'sort',
  'box-open',
  'box-next',
  'box-previous',
  'sort-reverse',
  'sort-left',
  'sort-right',
  'columns',
  'actions',
  'view',
  'views',
  'save-view',
  'command',
  'header',
  'view-back',
  'view-forward',
  'view-last',
  'pause',
  'down',
  'up',
  'half-down',
  'half-up',
  'page-down',
  'page-up',
  'top',
  'bottom',
  'next-critical',
  'previous-critical',
  'undo',
  'pane',
  'run',
  'reconnect',
  'resync',
  'repaint',
  'lock',
  'copy',
  'runbook',
  'mute',
  'log',
  'log-open',
  'log-tab',
  'help-run',
  'search',
  'match-next',
  'match-previous',
  'help',
  'close',
  'back',
  'quit',
  'interrupt',
  'confirm-yes',
  'confirm-no',
  'confirm-press',
  'confirm-choose',
  'form-next',
  'form-previous',
  'form-submit',
  'form-enter',
  'form-cancel',
  'menu-choose',
  'menu-toggle',
  'menu-down',
  'menu-up',
  'menu-close',
  'search-keep',
  'search-clear',
  'prompt-accept',
  'prompt-cancel',
  'prompt-older',
  'prompt-newer',
  'command-run',
  'command-next',
  'command-previous',
  'command-older',
  'command-newer',
  'command-cancel',
] as const;

export type KeyAction = (typeof ACTION_NAMES)[number];

/** Other keys for some actions, as the configuration file says. */
export type OwnKeys = Readonly<Partial<Record<KeyAction, readonly [string, ...string[]]>>>;

type BoundAction = readonly [KeyAction, Binding];

/** What the files of the nouns say, by `putActions`. */
let actions: ReadonlyMap<KeyAction, Binding> = new Map();

/** What is in effect. There is one keyboard, so this is the one thing that the whole program shares. */
let bound: readonly BoundAction[] = [];
let byContext = contextsOf(bound);

/** Takes every action there is, each once; their usual keys are in effect then. */
export function putActions(all: readonly (Binding & { readonly name: KeyAction })[]): void {
  actions = new Map(all.map((action) => [action.name, action]));
  if (actions.size !== all.length) throw new Error('two actions have the same name');
  bindKeys({});
}

/** Every binding in the order of the names, with the keys that are in effect. */
export function bindings(): readonly BoundAction[] {
  return bound;
}

/** What an action has been given, whatever keys are in effect. */
export function bindingOf(action: KeyAction): Binding {
  const binding = actions.get(action);
  if (binding === undefined) throw new Error(`${action} is not the name of an action`);
  return binding;
}

export function isAction(name: string): name is KeyAction {
  return (ACTION_NAMES as readonly string[]).includes(name);
}

/** The actions with other keys for some; the others keep theirs. */
export function boundWith(own: OwnKeys): readonly BoundAction[] {
  return ACTION_NAMES.map((action) => {
    const binding = bindingOf(action);
    return [action, { ...binding, keys: own[action] ?? binding.keys }];
  });
}

/** Puts these keys into effect, in place of any others given before. They must be free of conflicts. */
export function bindKeys(own: OwnKeys): void {
  bound = boundWith(own);
  byContext = contextsOf(bound);
}

function contextsOf(all: readonly BoundAction[]): ReadonlyMap<string, KeyAction> {
  const byChord = new Map<string, KeyAction>();
  for (const [action, binding] of all) {
    for (const context of binding.in) for (const key of binding.keys) byChord.set(`${context} ${key}`, action);
  }
  return byChord;
}

/** The keys that do an action now. */
function keysOf(action: KeyAction): Binding['keys'] {
  return bound.find(([name]) => name === action)?.[1].keys ?? bindingOf(action).keys;
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

export function actionFor(context: KeyContext, key: KeyPress): KeyAction | undefined {
  return byContext.get(`${context} ${chordOf(key)}`);
}

export function isChange(action: KeyAction): boolean {
  return bindingOf(action).changes === true;
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
