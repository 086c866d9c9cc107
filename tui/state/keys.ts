import type { KeyContext } from './key-context.ts';

/** The attributes of a decoded key press that key bindings use. */
export interface KeyPress {
  readonly name: string;
  readonly text?: string;
  readonly ctrl: boolean;
  readonly meta: boolean;
  readonly shift: boolean;
}

export interface Binding {
  /** The keys in the notation that `chordOf` returns. Hints and menus show the first key. */
  readonly keys: readonly [string, ...string[]];
  readonly in: readonly [KeyContext, ...KeyContext[]];
  /** The description of the action in the help. */
  readonly help: string;
  /** Description of the action in one or two words for the footer. If it is absent, only the help lists the action. */
  readonly hint?: string;
  /**
   * True if the action changes something at the backend. Such an action is disabled while disconnected and in read-only
   * mode.
   */
  readonly changes?: true;
}

/**
 * The names of all actions, in the order of footer and help. Files such as `actions/silences.ts` define the actions.
 */
const ACTION_NAMES = [
  'silence',
  'resolve',
  'unsilence',
  'acknowledge',
  'unacknowledge',
  'repeat-silence',
  'delete',
  'delete-client',
  'silence-change',
  'silence-end',
  'silence-delete',
  'silence-recreate',
  'silence-new',
  'silence-filter',
  'dead-letter-retry',
  'dead-letter-drop',
  'dead-letter-event',
  'inhibitor',
  'override-new',
  'override-delete',
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
  'fold',
  'wrap',
  'explain',
  'timeline',
  'series',
  'timeline-longer',
  'timeline-shorter',
  'outage-previous',
  'outage-next',
  'transition-open',
  'incident',
  'incident-earlier',
  'incident-later',
  'incident-much-earlier',
  'incident-much-later',
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
  'palette',
  'command',
  'header',
  'view-back',
  'view-forward',
  'view-last',
  'minute-back',
  'minute-forward',
  'before',
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
  'panel-next',
  'panel-previous',
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
  'suspend',
  'interrupt',
  'confirm-yes',
  'confirm-no',
  'confirm-press',
  'confirm-choose',
  'form-next',
  'form-previous',
  'form-down',
  'form-up',
  'form-row',
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
  'prompt-complete',
  'prompt-complete-back',
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

/** The keys that the configuration file sets instead of the default keys, by action. */
export type ConfiguredKeys = Readonly<Partial<Record<KeyAction, readonly [string, ...string[]]>>>;

type BoundAction = readonly [KeyAction, Binding];

/** All actions by name, as registered by `putActions`. */
let registeredActions: ReadonlyMap<KeyAction, Binding> = new Map();

/** The active key bindings. They are module state, because the program has only one keyboard. */
let boundActions: readonly BoundAction[] = [];
let actionsByContext = contextsOf(boundActions);

/** Registers all actions with their default keys. Each name must occur once. */
export function putActions(all: readonly (Binding & { readonly name: KeyAction })[]): void {
  registeredActions = new Map(all.map((action) => [action.name, action]));
  if (registeredActions.size !== all.length) throw new Error('two actions have the same name');
  bindKeys({});
}

/** Returns all actions with their bindings, in the order of `ACTION_NAMES` and with the active keys. */
export function allBindings(): readonly BoundAction[] {
  return boundActions;
}

/** Returns the binding of an action with its default keys, even if the configuration sets other keys. */
export function bindingOf(action: KeyAction): Binding {
  const binding = registeredActions.get(action);
  if (binding === undefined) throw new Error(`${action} is not the name of an action`);
  return binding;
}

export function isAction(name: string): name is KeyAction {
  return (ACTION_NAMES as readonly string[]).includes(name);
}

/** Returns all bindings. Actions in `own` get the keys that `own` contains; all others keep their default keys. */
export function boundWith(own: ConfiguredKeys): readonly BoundAction[] {
  return ACTION_NAMES.map((action) => {
    const binding = bindingOf(action);
    return [action, { ...binding, keys: own[action] ?? binding.keys }];
  });
}

/**
 * Activates these keys, and the default keys of all other actions. Two actions must not have the same key in a context.
 */
export function bindKeys(own: ConfiguredKeys): void {
  boundActions = boundWith(own);
  actionsByContext = contextsOf(boundActions);
}

function contextsOf(all: readonly BoundAction[]): ReadonlyMap<string, KeyAction> {
  const byChord = new Map<string, KeyAction>();
  for (const [action, binding] of all) {
    for (const context of binding.in) for (const key of binding.keys) byChord.set(`${context} ${key}`, action);
  }
  return byChord;
}

/** Returns the active keys of an action. */
function keysOf(action: KeyAction): Binding['keys'] {
  return boundActions.find(([name]) => name === action)?.[1].keys ?? bindingOf(action).keys;
}

/** Returns the label of the first active key of an action. */
export function keyOf(action: KeyAction): string {
  return keyLabel(keysOf(action)[0]);
}

/** Returns the name of a pressed key with its modifiers, as bindings write it: `j`, `G`, `ctrl-d`, `shift-tab`. */
export function chordOf(key: KeyPress): string {
  // A printable character already shows whether Shift was pressed: G instead of g.
  const shift = key.shift && key.text === undefined ? 'shift-' : '';
  return `${key.ctrl ? 'ctrl-' : ''}${key.meta ? 'meta-' : ''}${shift}${key.name}`;
}

export function actionOfKey(context: KeyContext, key: KeyPress): KeyAction | undefined {
  return actionsByContext.get(`${context} ${chordOf(key)}`);
}

export function isChange(action: KeyAction): boolean {
  return bindingOf(action).changes === true;
}

/** Returns the label of a key: `Space`, `Ctrl-D`, `PgDn`, `j`. */
export function keyLabel(chord: string): string {
  const label = KEY_LABELS.get(chord);
  if (label !== undefined) return label;
  if (/^f\d+$/.test(chord)) return chord.toUpperCase();
  return chord
    .replace(/^ctrl-(.)$/, (_, character: string) => `Ctrl-${character.toUpperCase()}`)
    .replace(/^meta-(.)$/, (_, character: string) => `Alt-${character.toUpperCase()}`);
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
