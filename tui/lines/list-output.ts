import { countText } from '../words/count-text.ts';
import type { LinePrompt } from './line-prompt.ts';

/** Default and maximum number of list items that a command prints. */
const COUNT_DEFAULT = 10;
const COUNT_MAX = 1000;

/** Parses the number of items that the user requests. If it is invalid, prints an error and returns `undefined`. */
export function requestedCount(prompt: LinePrompt, verb: string, text: string): number | undefined {
  const count = text === '' ? COUNT_DEFAULT : Number(text);
  if (Number.isInteger(count) && count >= 1) return Math.min(count, COUNT_MAX);
  prompt.say(`"${verb}" takes a number, for example "${verb} 20"`);
  return undefined;
}

/** Prints the first items of a list, each with its position, and the number of items that were left out. */
export function printFirstItems<Item>(
  prompt: LinePrompt,
  count: number,
  items: readonly Item[],
  sentence: (item: Item) => string,
): void {
  for (const [index, item] of items.slice(0, count).entries()) prompt.say(`${countText(index + 1)}: ${sentence(item)}`);
  const left = items.length - count;
  if (left > 0) prompt.say(`and ${countText(left)} more.`);
}
