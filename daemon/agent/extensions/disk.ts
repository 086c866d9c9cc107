import { statfs } from 'node:fs/promises';
import { z } from 'zod';
import { defineExtension, finding, numberSchema, statusOver } from './extension.ts';

const GIB = 1024 ** 3;

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
  const space = percent(used, used + bavail);
  // Some filesystems create inodes on demand and report a total of 0.
  const inodes = percent(files - ffree, files);
  const status = statusOver(Math.max(space, inodes), limits);
  const free = `${gib(bavail * bsize)} free`;
  return finding(
    'disk',
    status,
    `${path} is ${space.toFixed(1)}% full, ${free}${files === 0 ? '' : `; ${inodes.toFixed(1)}% of the inodes in use`} ` +
      `(warning at ${String(limits.warning)}%, critical at ${String(limits.critical)}%)`,
  );
});

function percent(part: number, total: number): number {
  return total === 0 ? 0 : (100 * part) / total;
}

function gib(bytes: number): string {
  return `${(bytes / GIB).toFixed(1)} GiB`;
}
