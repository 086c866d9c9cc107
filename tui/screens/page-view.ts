import type { KeyAction, KeyPress } from '../actions/keys.ts';
import type { ActionPorts } from '../actions/action-ports.ts';

/** A view that is no list. Its screen is in `tui/screens/view-screens.tsx`, its keys are bound with the view's name. */
export interface PageView {
  /** Keys that mean the same everywhere (views, pause, help, quit) are done already. */
  readonly press: (store: ActionPorts, action: KeyAction | undefined, key: KeyPress) => void;
}
