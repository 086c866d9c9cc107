import type { LineEdit } from '../text/line-editor.ts';
import type { InputEvent, KeyEvent } from '../terminal/input-event.ts';
import { mayChange } from '../keys/may-change.ts';
import { repeatForContexts, type Action, type ActionHandler } from '../keys/action.ts';
import { LIST_CONTEXTS } from '../keys/context-groups.ts';
import { lineEditOf } from '../form/line-keys.ts';
import { ACTIONS_BY_NAME } from './all.ts';
import { isTooSmall } from '../state/console-state.ts';
import { actionOfKey, allBindings, chordOf, keyLabel, keyOf, type KeyAction, type KeyPress } from '../state/keys.ts';
import { VIEWS } from '../state/view-names.ts';
import { handleMouse } from './mouse.ts';
import { keyContext } from '../keys/key-context.ts';
import { typeInMenu } from './menus.ts';
import { typeInCommandLine } from './command-line.ts';
import { typeInSearch } from './search.ts';
import { typeInPrompt } from '../list/search-prompt.ts';
import { typeInForm } from './forms.ts';
import { typeInConfirm } from './confirm.ts';
import type { KeyContext } from '../state/key-context.ts';
import { ownCommandOfKey, requestOwnCommand } from '../screens/own-commands.ts';
import { beforeInspectKey } from '../screens/inspect/actions.ts';
import { beforeListKey } from './list-keys.ts';
import type { ActionPorts } from '../keys/action-ports.ts';

/** How a key context handles keys, in addition to the actions that are bound to keys. */
interface KeyHandling {
  /**
   * Runs before the action that is bound to a key.
   *
   * @returns `taken` if the key must have no further effect; otherwise `undefined`
   */
  readonly before?: (store: ActionPorts, action: KeyAction | undefined) => 'taken' | undefined;
  /** Handles a key that has no action, or pasted text. For pasted text, `key` is `undefined`. */
  readonly type?: (store: ActionPorts, edit: LineEdit | undefined, key?: KeyPress) => void;
}

const KEY_HANDLING: Partial<Readonly<Record<KeyContext, KeyHandling>>> = {
  ...repeatForContexts(LIST_CONTEXTS, { before: beforeListKey }),
  inspect: { before: beforeInspectKey },
  confirm: { type: typeInConfirm },
  form: { type: typeInForm },
  prompt: { type: typeInPrompt },
  search: { type: typeInSearch },
  command: { type: typeInCommandLine },
  menu: { type: typeInMenu },
};

/**
 * Handles one input event of the terminal. The effects that it requests are queued in the store, where `takeEffects`
 * returns them.
 */
export function handleInput(store: ActionPorts, event: InputEvent): void {
  switch (event.kind) {
    case 'focus':
      return store.update({ focused: event.focused });
    case 'paste':
      // Pasted text is only typed into text fields, and never runs an action.
      return KEY_HANDLING[keyContext(store.state)]?.type?.(store, { kind: 'insert', text: event.text });
    case 'key':
      // If a key arrives, the terminal has the focus, even if it has reported otherwise.
      if (!store.state.focused) store.update({ focused: true });
      return pressKey(store, event);
    case 'background':
      return selectSkin(store, event.isLight);
    case 'mouse':
      return handleMouse(store, event, (action) => performKeyAction(store, action, NO_KEY));
  }
}

/** Selects the skin for the background of the terminal, unless the user has selected one. */
function selectSkin(store: ActionPorts, isLight: boolean): void {
  const { themeChanges } = store.state;
  if (isLight && themeChanges.skin === undefined) store.update({ themeChanges: { ...themeChanges, skin: 'light' } });
}

/** The key for an action that no key triggered. Its name is empty. */
const NO_KEY: KeyPress = { name: '', ctrl: false, meta: false, shift: false };

function pressKey(store: ActionPorts, key: KeyEvent): void {
  const action = actionOfKey(keyContext(store.state), key);
  if (isTooSmall(store.state.size) && action !== 'interrupt') {
    if (key.text === 'q') store.request({ kind: 'quit' });
    return;
  }
  if (action === undefined && pressOwnCommand(store, key)) return;
  performKeyAction(store, action, key);
}

/** Runs the command of the user that has this key here. Returns false if there is none. */
function pressOwnCommand(store: ActionPorts, key: KeyEvent): boolean {
  const context = keyContext(store.state);
  const command = ownCommandOfKey(context, chordOf(key), store.options);
  if (command === undefined) return false;
  // Like the menu of actions, the command must not act on another row than the user saw.
  if (KEY_HANDLING[context]?.before?.(store, 'actions') !== 'taken') requestOwnCommand(store, command);
  return true;
}

/** Performs the action that is bound to a key. A key without an action is typed into a text field. */
function performKeyAction(store: ActionPorts, name: KeyAction | undefined, key: KeyPress): void {
  const context = keyContext(store.state);
  const action = name && ACTIONS_BY_NAME.get(name);
  const perform = (other: KeyAction): void => performKeyAction(store, other, NO_KEY);
  if (action?.runsFirst === true) return handlerInContext(context, action)?.(store, { context, key, perform });
  if (action?.changes === true && !mayChange(store, action.name)) return;
  const handling = KEY_HANDLING[context];
  if (handling?.before?.(store, name) === 'taken') return;
  if (action === undefined) {
    if (handling?.type !== undefined) return handling.type(store, lineEditOf(key), key);
    return reportUnusedKey(store, key);
  }
  handlerInContext(context, action)?.(store, { context, key, perform });
}

/** Shows a message that a printable key does nothing here, with the views in which it does something. */
function reportUnusedKey(store: ActionPorts, key: KeyPress): void {
  if (key.text === undefined) return;
  const chord = chordOf(key);
  const contexts = new Set(allBindings().flatMap(([, binding]) => (binding.keys.includes(chord) ? binding.in : [])));
  const titles = VIEWS.flatMap(({ name, title }) => (contexts.has(name) ? [title] : []));
  const where =
    titles.length === 0 ? `: ${keyOf('help')} lists the keys` : `; it works in ${titles.slice(0, 3).join(', ')}`;
  store.say(`${keyLabel(chord)} does nothing here${where}`);
}

function handlerInContext(context: KeyContext, { run }: Action): ActionHandler | undefined {
  return typeof run === 'function' ? run : run[context];
}
