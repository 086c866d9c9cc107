import { refuseArguments } from '../lib/read-arguments.ts';

/**
 * Runs the requested parts of a benchmark in turn; by default all. Ends the program if there is no such part.
 */
export async function runParts(
  all: Readonly<Record<string, () => Promise<void>>>,
  requestedParts: readonly string[],
): Promise<void> {
  const names = Object.keys(all);
  if (requestedParts.some((part) => !names.includes(part))) refuseArguments(`--part is one of ${names.join(', ')}`);
  for (const part of requestedParts.length === 0 ? names : requestedParts) await all[part]?.();
}
