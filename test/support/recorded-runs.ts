import { readFile } from 'node:fs/promises';

/** One run of a check: the data that its command received on standard input. */
export interface RecordedRun {
  readonly client: Readonly<Record<string, unknown>> & { readonly name: string };
  readonly check: Readonly<Record<string, unknown>> & {
    readonly name: string;
    /** Time of the check request in epoch seconds; `executed` is the time of the run. */
    readonly issued: number;
    readonly executed: number;
    readonly source?: string;
  };
}

/**
 * Returns check attributes with a command that appends each run to the file `runs` in a directory. It uses a single
 * write, because several commands append concurrently.
 */
export function recordsRuns(dir: string): { readonly command: string; readonly stdin: true } {
  return { command: `printf '%s\\n' "$(cat)" >> '${dir}/runs'`, stdin: true };
}

/** Returns all runs in a file, in the order in which they were appended; an empty list if the file does not exist. */
export async function readRecordedRuns(file: string): Promise<RecordedRun[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as RecordedRun);
}
