import { openActionMenu } from '../keys/action-menu.ts';
import { handleRowsOnTop, markRow, sortByAdjacentColumn } from './rows-on-top.ts';
import { bindingOf, keyOf } from '../state/keys.ts';
import type { DetailLayer } from '../state/layers/detail.ts';
import { targetName } from '../model/target.ts';
import { currentName, RENAMED_COLUMNS } from '../state/renamed-names.ts';
import type { ViewName } from '../state/view-names.ts';
import { toggleFollowNewest } from '../list/follow-newest.ts';
import { cursorNow } from '../list/list-moves.ts';
import type { ListOfView } from '../list/list-of-view.ts';
import type { Screen } from '../state/ports.ts';
import { unknownNameText } from '../words/unknown-name.ts';
import type { ActionPorts } from '../keys/action-ports.ts';
import { openPlanMenu } from '../screens/plans/actions.ts';
import { openInspectMenu } from '../screens/inspect/actions.ts';
import { followLog } from '../screens/log/actions.ts';
import { sortIds, columnIds, columnProblem, columnsShown } from '../screens/view-columns.ts';
import { openSortMenu, openColumnsMenu } from './list-menus.ts';
import { filterCandidates } from '../screens/search-candidates.ts';
import { ownCommandItems } from '../screens/own-commands.ts';
import { filterProblem } from '../screens/filter-problem.ts';
import { openPrompt, keepFilter } from '../list/search-prompt.ts';
import {
  repeatForContexts,
  handleTopLayer,
  type ActionTrigger,
  type Action,
  type CompletionPorts,
} from '../keys/action.ts';
import { tableOf } from '../screens/tables.ts';
import { LIST_CONTEXTS } from '../keys/context-groups.ts';

/** The actions on lists of any kind. Many of them also work on the rows of a client or check. */
export const LIST_ACTIONS: readonly Action[] = [
  {
    name: 'mark',
    keys: ['space'],
    in: [...LIST_CONTEXTS, 'inspect'],
    help: 'mark the row and go to the next one',
    hint: 'mark',
    run: handleRowsOnTop(markRow),
  },
  {
    name: 'range',
    keys: ['V', 'ctrl-space'],
    in: [...LIST_CONTEXTS],
    help: 'mark all rows from the last mark to the cursor',
    run: markRange,
  },
  {
    name: 'mark-all',
    keys: ['a'],
    in: [...LIST_CONTEXTS, 'inspect'],
    help: 'mark all rows that the filter shows',
    hint: 'mark all',
    run: handleRowsOnTop(({ keys, lastMark, setMarks }) => setMarks(new Set(keys()), lastMark)),
  },
  {
    name: 'clear-marks',
    keys: ['A'],
    in: [...LIST_CONTEXTS, 'inspect'],
    help: 'clear all marks',
    run: handleRowsOnTop(({ setMarks }) => setMarks(new Set(), undefined)),
  },
  {
    name: 'filter',
    keys: ['/'],
    in: [...LIST_CONTEXTS],
    help: 'filter rows: words, !word, field=value, field~pattern, field>=number, age>1h, and, or, ( )',
    hint: 'filter',
    run: openPrompt,
    operand: {
      operands: 'FILTER',
      help: 'show only matching rows; without an argument, open the filter line',
      run: (store, operand) => {
        const problem = filterProblem(store.state.view, operand);
        if (problem !== undefined) return `${problem.message} (at character ${String(problem.position + 1)})`;
        keepFilter(store, operand);
        return undefined;
      },
      complete: (store, operand) => filterCandidates(store, store.state.view, operand),
    },
  },
  {
    name: 'sort',
    keys: ['o'],
    in: [...LIST_CONTEXTS, 'inspect'],
    help: 'choose the column to sort by',
    hint: 'sort',
    run: handleRowsOnTop(openSortMenu),
    operand: {
      operands: 'COLUMN',
      help: 'sort by a column or an attribute such as client.rack; -COLUMN reverses the order',
      run: sortByOperand,
      complete: (store) =>
        [...sortIds(store.state.view, store.whereColumn), ...attributeIds(store)].flatMap((id) => [id, `-${id}`]),
    },
  },
  {
    name: 'sort-reverse',
    keys: ['O'],
    in: [...LIST_CONTEXTS, 'inspect'],
    help: 'reverse the sort order',
    run: handleRowsOnTop(({ sort, sortBy }) => sort && sortBy({ ...sort, reversed: !sort.reversed })),
  },
  {
    name: 'sort-left',
    keys: ['<'],
    in: [...LIST_CONTEXTS, 'inspect'],
    help: 'sort by the next column to the left',
    run: handleRowsOnTop((rows) => sortByAdjacentColumn(rows, -1)),
  },
  {
    name: 'sort-right',
    keys: ['>'],
    in: [...LIST_CONTEXTS, 'inspect'],
    help: 'sort by the next column to the right',
    run: handleRowsOnTop((rows) => sortByAdjacentColumn(rows, 1)),
  },
  {
    name: 'columns',
    keys: ['C'],
    in: [...LIST_CONTEXTS],
    help: 'choose the columns to show',
    run: openColumnsMenu,
    operand: {
      operands: 'COLUMN…',
      help: 'show only the given columns, also attributes such as client.rack; "all" shows all columns',
      run: showColumns,
      complete: (store) => [...columnIds(store.state.view, store.whereColumn), ...attributeIds(store), 'all'],
    },
  },
  {
    name: 'scroll-left',
    keys: ['h', 'left'],
    in: [...LIST_CONTEXTS, 'inspect'],
    help: 'scroll the columns to the left',
    run: handleRowsOnTop(({ sideways, look }) => look({ sideways: Math.max(0, sideways - 1) })),
  },
  {
    name: 'scroll-right',
    keys: ['l', 'right'],
    in: [...LIST_CONTEXTS, 'inspect'],
    help: 'scroll right by column, then through the text of the last one',
    run: handleRowsOnTop(({ hasMore, sideways, look }, store) => {
      if (hasMore()) look({ sideways: sideways + 1 });
      else store.say('there are no more columns to the right');
    }),
  },
  {
    name: 'wide',
    keys: ['w'],
    in: [...LIST_CONTEXTS, 'inspect'],
    help: 'show full names and texts in columns, or fit them to the screen',
    run: handleRowsOnTop(({ wide, look }) => look({ wide: !wide })),
  },
  {
    name: 'follow',
    keys: ['f'],
    in: ['events', 'dead-letters', 'log'],
    help: 'keep the cursor on the newest row until you move the cursor',
    run: { events: toggleFollowNewest, 'dead-letters': toggleFollowNewest, log: handleTopLayer('log', followLog) },
  },
  {
    name: 'actions',
    keys: ['x'],
    in: [...LIST_CONTEXTS, 'inspect', 'detail', 'plan'],
    help: 'open the menu of actions for the marked rows, or for the shown event',
    hint: 'actions',
    run: {
      ...repeatForContexts(LIST_CONTEXTS, openListMenu),
      inspect: handleTopLayer('inspect', openInspectMenu),
      detail: handleTopLayer('detail', openDetailMenu),
      plan: openPlanMenu,
    },
  },
];

/** Opens the menu of actions on the selected rows of the list. */
function openListMenu(store: ActionPorts, { context, perform }: ActionTrigger): void {
  const { list, table } = store;
  const subject = list.marks.size > 0 ? `${String(list.marks.size)} marked` : (list.cursor.key ?? '');
  // While a menu is open, sorting is paused. Cursor and marks therefore stay on the rows for which the menu was opened.
  openActionMenu(store, subject, [...(table?.menu ?? []), 'copy'], perform, () => ownCommandItems(store, context));
}

/** Opens the menu of the actions of the list of events that also work on the screen of a single event. */
function openDetailMenu(store: ActionPorts, { target }: DetailLayer, { context, perform }: ActionTrigger): void {
  const actions = [...(tableOf('events')?.menu ?? []), 'series', 'copy'] as const;
  const shown = actions.filter((name) => name !== 'open' && bindingOf(name).in.includes(context));
  openActionMenu(store, targetName(target), shown, perform, () => ownCommandItems(store, context));
}

function sortByOperand(store: ActionPorts, operand: string): string | undefined {
  const reversed = operand.startsWith('-');
  const column = reversed ? operand.slice(1) : operand;
  const validIds = sortIds(store.state.view, store.whereColumn);
  if (validIds.includes(column)) {
    store.sortBy({ column, reversed });
    return undefined;
  }
  const attribute = store.table?.attributes?.column(column);
  if (typeof attribute === 'object') {
    store.sortBy({ column: attribute.id, reversed });
    return undefined;
  }
  if (attribute !== undefined && column.includes('.')) return attribute;
  return renamedColumn(store.state.view, column) ?? unknownNameText('sort column', column, validIds);
}

function showColumns(store: ActionPorts, operand: string): string | undefined {
  const { view } = store.state;
  const validIds = columnIds(view, store.whereColumn);
  const requestedIds = operand.split(/[\s,]+/);
  for (const id of operand === 'all' ? [] : requestedIds) {
    const problem = renamedColumn(view, id) ?? columnProblem(view, id, [...validIds, 'all']);
    if (problem !== undefined) return problem;
  }
  store.updateList(columnsShown(view, operand === 'all' ? undefined : requestedIds, store.whereColumn));
  return undefined;
}

/** Returns the ids of the columns of attributes that the rows of the view have. */
function attributeIds(store: CompletionPorts): readonly string[] {
  return tableOf(store.state.view)?.attributes?.ids(store) ?? [];
}

/** Returns the error message for the old id of a column; `undefined` if the id is not an old id. */
function renamedColumn(view: ViewName, id: string): string | undefined {
  const current = currentName(RENAMED_COLUMNS[view], id);
  return current === undefined ? undefined : `unknown column ${id}: use ${current}`;
}

function markRange(store: Screen & ListOfView): void {
  const { lastMark, marks } = store.list;
  const { order } = store.rows;
  const cursor = cursorNow(store);
  const from = lastMark === undefined ? -1 : order.indexOf(lastMark);
  if (from === -1)
    return store.say(
      `mark the first row with ${keyOf('mark')}; then press ${keyOf('range')} to mark all rows up to the cursor`,
    );
  const range = order.slice(Math.min(from, cursor.index), Math.max(from, cursor.index) + 1);
  store.updateList({ marks: new Set([...marks, ...range.map(({ key }) => key)]), lastMark: cursor.key });
}

export function clearMarks(store: Pick<ListOfView, 'updateList'>): void {
  store.updateList({ marks: new Set(), lastMark: undefined });
}
