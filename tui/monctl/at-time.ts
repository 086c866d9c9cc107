import { readPastLists } from '../../shared/client/past-lists.ts';
import { MonError } from '../../shared/errors.ts';
import type { PastState } from '../../shared/schemas/timeline.ts';
import type { CommandCall } from './command.ts';
import { valueOption } from './flags.ts';
import { showList, type List } from './list.ts';
import { parsePast } from './times.ts';

/** The `--at` option of lists that can show their state at a past time. */
export const AT_OPTION = {
  at: valueOption('TIME', 'show the state at this time: 2h (ago), 03:12, yesterday 03:12, or 2026-11-20T03:12'),
} as const;

/** Prints the current list, or with `--at` the list at that past time, with ages relative to that time. */
export async function showListAt<Item>(
  call: CommandCall,
  list: List<Item>,
  past: (state: PastState) => readonly Item[],
): Promise<void> {
  const { flags, api } = call;
  const text = flags.value('at');
  if (text === undefined) return showList(call, list);
  if (flags.switch('watch') === true) throw new MonError('invalid', '--at cannot be used with --watch');
  const at = parsePast(text, call.nowMs);
  const fetch = async (): Promise<readonly Item[]> => past(await readPastLists(api(), at));
  return showList({ ...call, nowMs: at }, { ...list, fetch });
}
