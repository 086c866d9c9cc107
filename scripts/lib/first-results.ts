import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '../../shared/client/api-client.ts';
import { severityOf } from '../../shared/domain/severity.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { StoredResult } from '../../shared/schemas/result.ts';

const POLL_MS = 250;

/** Maximum wait for the first results: the first run of a check may be delayed by up to its interval. */
const PATIENCE_MS = 30_000;

const OUTPUT_COLUMNS = 76;

/**
 * Waits until each of these checks has run; results from before the call do not count.
 *
 * @returns the results that arrived before the timeout
 * @throws if `signal` is aborted
 */
export async function firstResults(
  api: ApiClient,
  checks: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<StoredResult[]> {
  const sinceSeconds = Math.floor(Date.now() / 1000);
  const deadline = performance.now() + PATIENCE_MS;
  for (;;) {
    const results = (await api.results()).filter(
      ({ check }) => checks.has(check.name) && check.executed >= sinceSeconds,
    );
    if (results.length >= checks.size || performance.now() > deadline) return results;
    await delay(POLL_MS, undefined, { signal });
  }
}

/** Returns one line per result, with aligned columns. */
export function resultLines(results: readonly StoredResult[]): string[] {
  const rows = results.map(({ check }) => {
    const [output = ''] = check.output.split('\n');
    return { status: severityOf(check.status), name: check.name, output: safeLine(output).slice(0, OUTPUT_COLUMNS) };
  });
  const width = Math.max(0, ...rows.map(({ name }) => name.length));
  return rows.map(({ status, name, output }) => `${status.padEnd(8)}  ${name.padEnd(width)}  ${output}`);
}
