import { execFile } from 'node:child_process';
import { freemem, totalmem } from 'node:os';
import { promisify } from 'node:util';
import { z } from 'zod';
import { defineExtension, extensionResult, numberSchema, statusForMaximum } from './extension.ts';

const runProgram = promisify(execFile);
const GIB_BYTES = 1024 ** 3;

const parametersSchema = z.strictObject({
  /** Percentage of memory in use at which the status is WARNING. */
  warning: numberSchema.default(80),
  critical: numberSchema.default(90),
});

/** Checks the memory in use, that is all memory that a program could not allocate at once. */
export const memory = defineExtension('memory', parametersSchema, async (limits, { signal }) => {
  const total = totalmem();
  const used = total - (await availableBytes(signal));
  const inUse = (100 * used) / total;
  return extensionResult(
    'memory',
    statusForMaximum(inUse, limits),
    `${inUse.toFixed(1)}% in use: ${(used / GIB_BYTES).toFixed(1)} of ${(total / GIB_BYTES).toFixed(1)} GiB ` +
      `(warning at ${String(limits.warning)}%, critical at ${String(limits.critical)}%)`,
  );
});

async function availableBytes(signal: AbortSignal): Promise<number> {
  // On Linux, `freemem` returns the kernel's available memory; on macOS, only unused memory, without caches.
  if (process.platform !== 'darwin') return freemem();
  const { stdout } = await runProgram('vm_stat', { signal });
  return pagesToBytes(stdout);
}

/**
 * Returns the number of bytes that a program can allocate at once on macOS: the free, inactive, speculative and
 * purgeable pages.
 *
 * @param text the output of `vm_stat`
 */
export function pagesToBytes(text: string): number {
  const pageBytes = Number(/page size of (\d+)/.exec(text)?.[1] ?? 4096);
  const pages = text.matchAll(/^Pages (?:free|inactive|speculative|purgeable):\s*(\d+)/gm);
  return pageBytes * [...pages].reduce((sum, [, count]) => sum + Number(count), 0);
}
