import { refuseArguments } from '../lib/read-arguments.ts';

/**
 * Runs the requested parts of a benchmark one after the other; default: all parts. An unknown part ends the program
 * with an error.
 */
export async function runParts(
  all: Readonly<Record<string, () => Promise<void>>>,
  requestedParts: readonly string[],
): Promise<void> {
  const names = Object.keys(all);
  if (requestedParts.some((part) => !names.includes(part))) refuseArguments(`--part is one of ${names.join(', ')}`);
  for (const part of requestedParts.length === 0 ? names : requestedParts) await all[part]?.();
}
