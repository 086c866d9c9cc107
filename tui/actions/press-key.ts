import { actionFor, isChange, keyOfChord, keysOf, type KeyAction } from './keys.ts';
import type { InputEvent, KeyEvent } from '../terminal/input-event.ts';
import { openCommandLine, pressCommandLine, typeInCommandLine } from './command-line.ts';
import { pressConfirm, typeInConfirm } from '../form/confirm-keys.ts';
import { isTooSmall } from '../state/console-state.ts';
import { pressDetail } from '../screens/detail/actions.ts';
import { pressPrompt, typeInPrompt } from '../list/search-prompt.ts';
import { pressForm, typeInForm } from '../form/form-keys.ts';
import { pressHelp } from '../screens/help/actions.ts';
import { pressInspect } from '../screens/inspect/actions.ts';
import { keyContext } from './key-context.ts';
import { lineEditOf } from '../form/line-keys.ts';
import { pressList } from '../list/list-keys.ts';
import { pressDeadLetter, pressHandling } from './loaded-keys.ts';
import { pressLog } from '../screens/log/actions.ts';
import { mayChange } from './may-change.ts';
import { pressMenu, typeInMenu } from '../form/menu-keys.ts';
import { pressPage } from './page-keys.ts';
import { pressSearch, typeInSearch } from '../form/search-keys.ts';
import { pressSilenceEntry } from '../screens/silences/entry-actions.ts';
import { takeMouse } from './mouse.ts';
import { pressPlanPage } from '../screens/plans/page.ts';
import { openDueView, settleDigit } from './view-keys.ts';
import type { Screen, Says, Asks, Opened } from '../state/ports.ts';
import type { ActionPorts } from './action-ports.ts';
import type { KeyContext } from '../state/key-context.ts';

/** Two presses within this quit from anywhere. */
const INTERRUPT_TWICE_MS = 1000;

/** Takes one event of the terminal. What it asks of the world outside is left with the store (`takeEffects`). */
export function takeInput(store: ActionPorts, event: InputEvent): void {
  switch (event.kind) {
    case 'focus':
      return store.update({ focused: event.focused });
    case 'paste':
      return typeText(store, event.text);
    case 'key':
      return pressKey(store, event);
    case 'mouse':
      return takeMouse(store, event, (action) => press(store, keyContext(store.state), action, NO_KEY));
  }
}

function pressKey(store: ActionPorts, key: KeyEvent): void {
  openDueView(store, store.options.now());
  if (settleDigit(store, key) === 'taken') return;
  const context = keyContext(store.state);
  const action = actionFor(context, key);
  if (action === 'interrupt' || (key.text === 'q' && isTooSmall(store.state.size)))
    return interrupt(store, action === 'interrupt');
  if (isTooSmall(store.state.size)) return;
  act(store, context, action, key);
}

/** What a key with this action does, or without any: text is typed where there is a place for it. */
function act(store: ActionPorts, context: KeyContext, action: KeyAction | undefined, key: KeyEvent): void {
  if (action === 'repaint') return store.request({ kind: 'repaint' });
  if (action === 'command') return openCommandLine(store);
  if (action === 'save-view') return openCommandLine(store, 'view save ');
  if (action !== undefined && isChange(action) && !mayChange(store, action)) return;
  press(store, context, action, key);
}

/** For a command: no key that means something by itself. */
const NO_KEY: KeyEvent = { kind: 'key', name: '', ctrl: false, meta: false, shift: false };

function press(store: ActionPorts, context: KeyContext, action: KeyAction | undefined, key: KeyEvent): void {
  switch (context) {
    case 'events':
    case 'silences':
    case 'aggregates':
    case 'clients':
    case 'checks':
    case 'dead-letters':
      return pressList(store, action, key);
    case 'overview':
    case 'upgrade':
      return pressPage(store, context, action, key);
    case 'plan':
      return pressPage(store, 'upgrade', action, key);
    case 'plan-page':
      return pressPlanPage(store, action);
    case 'detail':
      return pressDetail(store, action);
    case 'inspect':
      return pressInspect(store, action);
    case 'handling':
      return pressHandling(store, action);
    case 'dead-letter':
      return pressDeadLetter(store, action);
    case 'silence-entry':
      return pressSilenceEntry(store, action);
    case 'help':
      return pressChosen(store, pressHelp(store, action));
    case 'log':
      return pressLog(store, action);
    case 'confirm':
      return action === undefined ? typeInConfirm(store, lineEditOf(key)) : pressConfirm(store, action);
    case 'form':
      return action === undefined ? typeInForm(store, lineEditOf(key), key) : pressForm(store, action);
    case 'prompt':
      return action === undefined ? typeInPrompt(store, lineEditOf(key)) : pressPrompt(store, action);
    case 'search':
      return action === undefined ? typeInSearch(store, lineEditOf(key)) : pressSearch(store, action);
    case 'command':
      if (action === undefined) return typeInCommandLine(store, lineEditOf(key));
      return pressCommandLine(store, action, (one) => act(store, keyContext(store.state), one, NO_KEY));
    case 'menu':
      return action === undefined ? typeInMenu(store, lineEditOf(key)) : pressMenu(store, action);
  }
}

/** What was chosen in the help is what its key does. */
function pressChosen(store: ActionPorts, action: KeyAction | undefined): void {
  if (action !== undefined) pressKey(store, { kind: 'key', ...keyOfChord(keysOf(action)[0]) });
}

/** Pasted text reaches text fields only, and never runs anything. */
function typeText(store: ActionPorts, text: string): void {
  const context = keyContext(store.state);
  if (context === 'confirm') typeInConfirm(store, { kind: 'insert', text });
  if (context === 'form') typeInForm(store, { kind: 'insert', text });
  if (context === 'prompt') typeInPrompt(store, { kind: 'insert', text });
  if (context === 'menu') typeInMenu(store, { kind: 'insert', text });
  if (context === 'command') typeInCommandLine(store, { kind: 'insert', text });
  if (context === 'search') typeInSearch(store, { kind: 'insert', text });
}

function interrupt(store: Screen & Says & Asks & Opened, needsTwo: boolean): void {
  const nowMs = store.options.now();
  if (!needsTwo || nowMs - store.state.interruptedAtMs <= INTERRUPT_TWICE_MS) {
    return store.request({ kind: 'quit' });
  }
  store.update({ interruptedAtMs: nowMs });
  store.say('press Ctrl-C again to quit');
}
