import type { SpoolTrouble } from '../schemas/agent.ts';

/** The name of the check by which an agent reports problems of its spool (the files with undelivered results). */
export const SPOOL_CHECK = 'mon.spool';

/** Seconds between two results of the spool check while the spool has a problem. */
export const SPOOL_CHECK_INTERVAL = 60;

/**
 * Returns the result of the spool check: OK, a warning if results are only in memory, or critical if results were
 * dropped.
 *
 * @param trouble the problem of the spool; undefined if the spool can be written
 */
export function spoolCheckResult(trouble: SpoolTrouble | undefined): {
  readonly status: 0 | 1 | 2;
  readonly output: string;
} {
  if (trouble === undefined) return { status: 0, output: 'results are written to the spool' };
  const { reason, unsaved, dropped } = trouble;
  const lost = dropped === 0 ? 'none was dropped' : `${resultCountText(dropped)} dropped because memory was full`;
  return {
    status: dropped === 0 ? 1 : 2,
    output: `${reason}. Until then results are delivered from memory: ${resultCountText(unsaved)} kept there, ${lost}`,
  };
}

function resultCountText(count: number): string {
  return count === 1 ? '1 result was' : `${String(count)} results were`;
}
