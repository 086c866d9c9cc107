import { statfs } from 'node:fs/promises';
import { z } from 'zod';
import { defineExtension, extensionResult, numberSchema, statusForMaximum } from './extension.ts';

const GIB_BYTES = 1024 ** 3;

const parametersSchema = z.strictObject({
  /** Any path on the filesystem that is checked. */
  path: z.string().min(1).default('/'),
  /** Percentage of used space or inodes at which the status is WARNING. */
  warning: numberSchema.default(80),
  critical: numberSchema.default(90),
});

/** Checks the space and inodes of one filesystem, because without either of them no file can be created. */
export const disk = defineExtension('disk', parametersSchema, async ({ path, ...limits }) => {
  const { blocks, bfree, bavail, bsize, files, ffree } = await statfs(path);
  const used = blocks - bfree;
  // The percentage that `df` shows: used space divided by the sum of used and available space, without reserved space.
  const space = percentOf(used, used + bavail);
  // Some filesystems create inodes on demand and report a total of 0.
  const inodes = percentOf(files - ffree, files);
  const status = statusForMaximum(Math.max(space, inodes), limits);
  const free = `${formatGib(bavail * bsize)} free`;
  return extensionResult(
    'disk',
    status,
    `${path} is ${space.toFixed(1)}% full, ${free}${files === 0 ? '' : `; ${inodes.toFixed(1)}% of the inodes in use`} ` +
      `(warning at ${String(limits.warning)}%, critical at ${String(limits.critical)}%)`,
  );
});

function percentOf(part: number, total: number): number {
  return total === 0 ? 0 : (100 * part) / total;
}

function formatGib(bytes: number): string {
  return `${(bytes / GIB_BYTES).toFixed(1)} GiB`;
}
