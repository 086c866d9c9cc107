import { readFile } from 'node:fs/promises';

/** One run of a check, as its command received it on standard input. */
export interface DiaryRun {
  readonly client: Readonly<Record<string, unknown>> & { readonly name: string };
  readonly check: Readonly<Record<string, unknown>> & {
    readonly name: string;
    /** Epoch seconds. */
    readonly issued: number;
    readonly executed: number;
    readonly source?: string;
  };
}

/**
 * Returns the attributes of a check that appends its runs to `diary` in a directory, each in a single write,
 * because others write too.
 */
export function writesDiary(dir: string): { readonly command: string; readonly stdin: true } {
  return { command: `printf '%s\\n' "$(cat)" >> '${dir}/diary'`, stdin: true };
}

/** Returns the runs so far, in the order of their ends. */
export async function readDiary(file: string): Promise<DiaryRun[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as DiaryRun);
}
