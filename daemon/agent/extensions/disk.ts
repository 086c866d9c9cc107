import { statfs } from 'node:fs/promises';
import { z } from 'zod';
import { defineExtension, finding, numberSchema, statusOver } from './extension.ts';

const GIB = 1024 ** 3;

const parametersSchema = z.strictObject({
  /** Anything on the filesystem. */
  path: z.string().min(1).default('/'),
  /** Percent in use. */
  warning: numberSchema.default(80),
  critical: numberSchema.default(90),
});

/** Space and inodes of one filesystem: without either, nothing can be written. */
export const disk = defineExtension('disk', parametersSchema, async ({ path, ...limits }) => {
  const { blocks, bfree, bavail, bsize, files, ffree } = await statfs(path);
  const used = blocks - bfree;
  // Used and available, because the rest is reserved: the percentage that df shows.
  const space = percent(used, used + bavail);
  // Some filesystems make inodes as they need them, and tell none.
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

function percent(part: number, whole: number): number {
  return whole === 0 ? 0 : (100 * part) / whole;
}

function gib(bytes: number): string {
  return `${(bytes / GIB).toFixed(1)} GiB`;
}
