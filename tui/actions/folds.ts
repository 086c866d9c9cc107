import { attributeNamesOf, SUBSCRIPTIONS_ATTRIBUTE } from '../../shared/domain/event-attributes.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { EventRow } from '../../shared/schemas/feed.ts';
import { openMenu } from '../form/menu.ts';
import type { Action } from '../keys/action.ts';
import type { ActionPorts } from '../keys/action-ports.ts';
import type { ListOfView } from '../list/list-of-view.ts';
import type { EventFold } from '../model/event-fold.ts';
import { BUILT_IN_FOLDINGS, foldingOf, foldProblem, type FoldCriterion, type Folding } from '../model/fold-by.ts';
import type { LiveData } from '../model/live-data.ts';
import { openView } from '../screens/open-view.ts';
import { keyOf, type KeyAction } from '../state/keys.ts';
import type { MenuItem } from '../state/layers/menu.ts';
import type { Screen } from '../state/ports.ts';

/** The word that the user types to show each event as one row. */
const OFF_WORD = 'off';

/**
 * Returns the fold under the cursor of the list of events; `undefined` if it is a single event, or if another screen is
 * over the list.
 */
export function foldUnderCursor({
  state,
  list,
  folds,
}: Screen & Pick<LiveData, 'folds'> & Pick<ListOfView, 'list'>): EventFold | undefined {
  const { key } = list.cursor;
  const isList = state.view === 'events' && state.layers.length === 0;
  return isList && key !== undefined ? folds.fold(key) : undefined;
}

/** Shows the events of a fold below its row, or hides them. The cursor goes to the row of the fold. */
export function toggleFold(store: Screen & LiveData & ListOfView, fold: EventFold): void {
  store.folds.toggle(fold);
  store.window.expectOrder();
  store.updateList({ cursor: { ...store.list.cursor, key: fold.key }, isCursorMoved: true });
  store.settleList();
}

/**
 * Hides the events of the unfolded fold that contains the cursor.
 *
 * @returns false if the cursor is in no unfolded fold
 */
export function closeFoldAtCursor(store: Screen & LiveData & ListOfView): boolean {
  const { key } = store.list.cursor;
  if (store.state.view !== 'events' || key === undefined) return false;
  const fold = store.folds.fold(key) ?? store.folds.unfoldedAround(key);
  if (fold === undefined || !store.folds.isUnfolded(fold)) return false;
  toggleFold(store, fold);
  return true;
}

/** The actions on a single event, which a fold cannot stand for. */
const SINGLE_EVENT_ACTIONS: ReadonlySet<KeyAction> = new Set([
  'json',
  'explain',
  'incident',
  'before',
  'runbook',
  'copy',
]);

/**
 * Shows a message if an action is for a single event and the cursor is on a fold.
 *
 * @returns true if the action must have no further effect
 */
export function reportFold(store: ActionPorts, action: KeyAction): boolean {
  const fold = SINGLE_EVENT_ACTIONS.has(action) ? foldUnderCursor(store) : undefined;
  if (fold === undefined) return false;
  store.say(`${keyOf(action)} is for one event: ${keyOf('open')} shows the ${fold.sizeText} of this row`);
  return true;
}

/** Returns the names of the attributes of all events, by which they can be folded. */
function attributeNames({ events }: Pick<LiveData, 'events'>): readonly string[] {
  return attributeNamesOf(rowsOf(events)).filter(
    (name) => foldProblem(name) === undefined && name !== SUBSCRIPTIONS_ATTRIBUTE,
  );
}

function* rowsOf(events: LiveData['events']): Iterable<EventRow> {
  for (const { row } of events.records()) yield row;
}

/** Opens the menu of ways to fold the list. The first choice folds by check, or shows single events again. */
function openFoldMenu(store: ActionPorts): void {
  const { criterion: current } = store.folds;
  const choose = (by: FoldCriterion | undefined) => (): void => store.foldBy(by);
  const itemOf = ({ by, help }: Folding): MenuItem => ({
    id: by,
    label: safeLine(`${by}: ${help}`),
    choose: choose(by),
  });
  const all: readonly MenuItem[] = [
    ...BUILT_IN_FOLDINGS.map(itemOf),
    { id: OFF_WORD, label: `${OFF_WORD}: one row for each event`, choose: choose(undefined) },
    ...attributeNames(store).map((name) => itemOf(foldingOf(name))),
  ];
  openMenu(store, { title: 'Fold events by', items: () => all }, current === undefined ? 'check' : OFF_WORD);
}

/** The action that folds the list of events. */
export const FOLD_ACTIONS: readonly Action[] = [
  {
    name: 'fold',
    keys: ['F'],
    in: ['events'],
    help: 'fold similar events into one row (check, output, cause, …)',
    run: openFoldMenu,
    operand: {
      operands: 'check, output, cause, subscription, ATTRIBUTE, off',
      help: 'fold similar events into one row; "off" shows each event',
      run: (store, operand) => {
        const by = attributeNames(store).find((name) => name.endsWith(`.${operand}`)) ?? operand;
        const problem = by === OFF_WORD ? undefined : foldProblem(by);
        if (problem !== undefined) return problem;
        store.update({ layers: [] });
        openView(store, 'events');
        store.foldBy(by === OFF_WORD ? undefined : by);
        return undefined;
      },
      complete: (store) => [...BUILT_IN_FOLDINGS.map(({ by }) => by), OFF_WORD, ...attributeNames(store)],
    },
  },
];
