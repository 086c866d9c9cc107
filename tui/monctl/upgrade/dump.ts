import { stat } from 'node:fs/promises';
import { DumpFacts } from '../../../shared/domain/plan/dump-facts.ts';
import { errorMessage } from '../../../shared/errors.ts';
import type { UpgradeFacts } from '../../../shared/schemas/plan.ts';
import { indexFile } from '../objects/index-file.ts';
import { openFile } from '../objects/read-objects.ts';

/** The facts about a dump, and about the installation that was dumped. */
export interface DumpReading {
  readonly dump: NonNullable<UpgradeFacts['dump']>;
  /** The facts about the installation; for a truncated dump, only the facts before its end. */
  readonly facts: DumpFacts;
}

/**
 * Reads a dump of monctl or of a Sensu Go cluster to its end, as a restore would. If it cannot be read, `problem` in
 * `dump` is the reason.
 */
export async function readDump(file: string): Promise<DumpReading> {
  const facts = new DumpFacts();
  try {
    const { mtimeMs } = await stat(file);
    const problem = await indexFile(openFile(file), file, (object) => facts.add(object)).then(
      () => null,
      (error: unknown) => errorMessage(error),
    );
    return { dump: { file, taken_at: Math.floor(mtimeMs / 1000), counts: facts.counts, problem }, facts };
  } catch (error) {
    return { dump: { file, taken_at: 0, counts: {}, problem: errorMessage(error) }, facts };
  }
}
