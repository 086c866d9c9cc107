import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '../../shared/client/api-client.ts';
import { severityOf } from '../../shared/domain/severity.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { StoredResult } from '../../shared/schemas/result.ts';

const POLL_MS = 250;

/** The checks start spread over their interval; once none has reported for this long, the picture is good enough. */
const QUIET_MS = 4000;

/** Longest that the first result may take. */
const PATIENCE_MS = 60_000;

const OUTPUT_COLUMNS = 76;

/**
 * Waits for the results of real checks.
 *
 * @returns none when there was none in time
 * @throws when `signal` is aborted
 */
export async function firstResults(api: ApiClient, signal: AbortSignal): Promise<StoredResult[]> {
  const begin = performance.now();
  let results: StoredResult[] = [];
  let changed = begin;
  for (;;) {
    const found = (await api.results()).filter(({ check }) => check.name !== 'keepalive');
    const now = performance.now();
    if (found.length !== results.length) changed = now;
    results = found;
    if (results.length > 0 && now - changed > QUIET_MS) return results;
    if (now - begin > PATIENCE_MS) return results;
    await delay(POLL_MS, undefined, { signal });
  }
}

/** One line per result, in columns. */
export function resultLines(results: readonly StoredResult[]): string[] {
  const rows = results.map(({ check }) => {
    const [output = ''] = check.output.split('\n');
    return { status: severityOf(check.status), name: check.name, output: safeLine(output).slice(0, OUTPUT_COLUMNS) };
  });
  const width = Math.max(0, ...rows.map(({ name }) => name.length));
  return rows.map(({ status, name, output }) => `${status.padEnd(8)}  ${name.padEnd(width)}  ${output}`);
}
