import { randomUUID } from 'node:crypto';
import { mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Replaces a file atomically, readable for its owner only. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Many users keep such files under version control, with a symbolic link here.
  const target = await realpath(path).catch(() => path);
  const draft = join(dirname(target), `.${randomUUID()}.tmp`);
  try {
    const file = await open(draft, 'wx', 0o600);
    try {
      await file.writeFile(text);
      await file.sync();
    } finally {
      await file.close();
    }
    await rename(draft, target);
  } catch (error) {
    await rm(draft, { force: true });
    throw error;
  }
}
