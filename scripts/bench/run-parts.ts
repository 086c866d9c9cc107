import { refuseArguments } from '../lib/read-arguments.ts';

/**
 * Runs the requested parts of a benchmark in turn; by default all. Ends the program if there is no such part.
 */
export async function runParts(
  all: Readonly<Record<string, () => Promise<void>>>,
  asked: readonly string[],
): Promise<void> {
  const names = Object.keys(all);
  if (asked.some((part) => !names.includes(part))) refuseArguments(`--part is one of ${names.join(', ')}`);
  for (const part of asked.length === 0 ? names : asked) await all[part]?.();
}
