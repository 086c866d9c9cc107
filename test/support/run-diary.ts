import { readFile } from 'node:fs/promises';

/** One run of a check, as its command was told on its standard input. */
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

/** The attributes of a check that writes its runs into `diary` of a directory, each in one piece, whoever else writes. */
export function writesDiary(dir: string): { readonly command: string; readonly stdin: true } {
  return { command: `printf '%s\\n' "$(cat)" >> '${dir}/diary'`, stdin: true };
}

/** The runs so far, in the order of their ends. */
export async function readDiary(file: string): Promise<DiaryRun[]> {
  const text = await readFile(file, 'utf8').catch(() => '');
  return text
    .split('\n')
    .filter(Boolean)
    .map((line) => JSON.parse(line) as DiaryRun);
}
