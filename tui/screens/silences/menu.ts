import { quotedText } from '../../../shared/domain/search-syntax.ts';
import { applyFilter } from '../../list/search-prompt.ts';
import { openMenu } from '../../form/menu.ts';
import type { Screen } from '../../state/ports.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { ListOfView } from '../../list/list-of-view.ts';
import type { MenuItem } from '../../state/layers/menu.ts';

/** Opens the menu of filters for the list of silences. The user can also type each of these filters. */
export function openSilenceFilter(store: Screen & Pick<LiveData, 'events'> & ListOfView): void {
  const { creator } = store.options;
  const choices: readonly (readonly [label: string, filter: string])[] = [
    ['all, including those ended in the last 24 h', ''],
    ['all current', 'state!=ended'],
    ['active', 'state=active'],
    ['pending: start later', 'state=pending'],
    ['expiring: less than 30 min left', 'state=expiring'],
    ['ended in the last 24 h', 'state=ended'],
    ['mine', `creator=${quotedText(creator)} state!=ended`],
    ['matching no event now', 'events=0 (state=active or state=expiring)'],
  ];
  const items = (): readonly MenuItem[] =>
    choices.map(([label, filter]) => ({ id: label, label, key: filter, choose: () => applyFilter(store, filter) }));
  openMenu(store, { title: 'Choose silences to show', items });
}
