import { readdir } from 'node:fs/promises';

/** Name of a write-ahead log of LevelDB, such as `000012.log`. */
const LOG_NAME = /^(\d+)\.log$/;

export const logName = (number: number): string => `${String(number).padStart(6, '0')}.log`;

/** Returns the numbers of the write-ahead logs in a directory, in ascending order: the oldest log is first. */
export async function logNumbers(dir: string): Promise<number[]> {
  const names = await readdir(dir);
  return names
    .flatMap((name) => LOG_NAME.exec(name)?.[1] ?? [])
    .map(Number)
    .toSorted((a, b) => a - b);
}
