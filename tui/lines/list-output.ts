import { countText } from '../words/count-text.ts';
import type { LinePrompt } from './line-prompt.ts';

/** Default and maximum number of list items that are read. */
const COUNT_DEFAULT = 10;
const COUNT_MAX = 1000;

/** Returns the requested number of items; an invalid number is reported. */
export function requestedCount(prompt: LinePrompt, verb: string, text: string): number | undefined {
  const count = text === '' ? COUNT_DEFAULT : Number(text);
  if (Number.isInteger(count) && count >= 1) return Math.min(count, COUNT_MAX);
  prompt.say(`"${verb}" takes a number, for example "${verb} 20"`);
  return undefined;
}

/** Reads the first items of a list, each with its number, and how many are left. */
export function sayFirst<Item>(
  prompt: LinePrompt,
  count: number,
  items: readonly Item[],
  sentence: (item: Item) => string,
): void {
  for (const [index, item] of items.slice(0, count).entries()) prompt.say(`${countText(index + 1)}: ${sentence(item)}`);
  const left = items.length - count;
  if (left > 0) prompt.say(`and ${countText(left)} more.`);
}
