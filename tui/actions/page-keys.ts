import type { KeyAction, KeyPress } from './keys.ts';
import { pressFeedKey } from './feed-keys.ts';
import { openViewMenu } from '../list/list-menus.ts';
import { askQuit } from './quit.ts';
import { goBack, pressViewKey } from './view-keys.ts';
import { PAGES } from '../screens/pages.ts';
import type { ViewName } from '../state/view-names.ts';
import type { ActionPorts } from './action-ports.ts';

/** The keys of a view that is no list: those of every view, then its own. */
export function pressPage(store: ActionPorts, view: ViewName, action: KeyAction | undefined, key: KeyPress): void {
  if (pressViewKey(store, action, key)) return;
  if (action === 'views') return openViewMenu(store);
  if (action === 'back') return goBack(store);
  if (action === 'quit') return askQuit(store);
  if (action !== undefined) pressFeedKey(store, action);
  PAGES[view]?.press(store, action, key);
}
