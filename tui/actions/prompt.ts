import { keepFilter, applyFilter, completeInPrompt, fromHistory } from '../list/search-prompt.ts';
import type { Action } from '../keys/action.ts';
import { promptCompletion } from '../screens/search-candidates.ts';

/** The actions in the line in which the user types a filter. */
export const PROMPT_ACTIONS: readonly Action[] = [
  {
    name: 'prompt-accept',
    keys: ['enter'],
    in: ['prompt'],
    help: 'apply the filter',
    hint: 'keep',
    run: (store) => {
      const { filter } = store.list;
      // If the filter is invalid, the prompt stays open and shows the problem.
      if (filter.problem !== undefined) return;
      store.update({ prompt: undefined });
      keepFilter(store, filter.text);
      // The list is updated at once. The next key can come before the next frame, and must not act on a row that the
      // filter hides.
      store.settleList();
    },
  },
  {
    name: 'prompt-cancel',
    keys: ['escape'],
    in: ['prompt'],
    help: 'clear the filter',
    hint: 'clear',
    run: (store) => {
      store.update({ prompt: undefined });
      applyFilter(store, '');
    },
  },
  {
    name: 'prompt-complete',
    keys: ['tab'],
    in: ['prompt'],
    help: 'complete the field or value; press again for the next candidate',
    hint: 'complete',
    run: (store) => completeInPrompt(store, promptCompletion(store), 1),
  },
  {
    name: 'prompt-complete-back',
    keys: ['shift-tab'],
    in: ['prompt'],
    help: 'go back to the previous candidate',
    run: (store) => completeInPrompt(store, promptCompletion(store), -1),
  },
  {
    name: 'prompt-older',
    keys: ['up'],
    in: ['prompt'],
    help: 'recall the previous filter',
    hint: 'history',
    run: (store) => fromHistory(store, -1),
  },
  {
    name: 'prompt-newer',
    keys: ['down'],
    in: ['prompt'],
    help: 'recall the next filter',
    run: (store) => fromHistory(store, 1),
  },
];
