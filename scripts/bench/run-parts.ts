import { refuseArguments } from '../lib/read-arguments.ts';

/** The parts of a bench that were asked for, in turn; none: all of them. Ends the program when there is no such part. */
export async function runParts(
  all: Readonly<Record<string, () => Promise<void>>>,
  asked: readonly string[],
): Promise<void> {
  const names = Object.keys(all);
  if (asked.some((part) => !names.includes(part))) refuseArguments(`--part is one of ${names.join(', ')}`);
  for (const part of asked.length === 0 ? names : asked) await all[part]?.();
}
