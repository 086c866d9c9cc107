import { isChange, keyOf, type KeyAction, bindingOf } from '../state/keys.ts';
import { whyNoChange } from './may-change.ts';
import { openMenu } from '../form/menu.ts';
import type { LiveData } from '../model/live-data.ts';
import type { Screen } from '../state/ports.ts';
import type { MenuItem } from '../state/layers/menu.ts';

/**
 * Opens a menu of actions. While changes are not possible, actions that change something are disabled and show the
 * reason.
 *
 * @param act callback that performs the chosen action on the rows that were selected when the menu was opened
 * @param more callback that returns further items, which follow the actions
 */
export function openActionMenu(
  store: Screen & Pick<LiveData, 'feed'>,
  subject: string,
  actions: readonly KeyAction[],
  act: (action: KeyAction) => void,
  more: () => readonly MenuItem[] = () => [],
): void {
  const items = (): readonly MenuItem[] => [
    ...actions.map((action) => {
      const reason = isChange(action) ? whyNoChange(store) : undefined;
      return {
        id: action,
        label: bindingOf(action).help,
        key: keyOf(action),
        disabled: reason === undefined ? undefined : `disabled${reason}`,
        choose: () => act(action),
      };
    }),
    ...more(),
  ];
  openMenu(store, { title: subject, items });
}
