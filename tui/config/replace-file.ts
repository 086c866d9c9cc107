import { randomUUID } from 'node:crypto';
import { mkdir, open, realpath, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Creates or replaces a file atomically. Only its owner can read the new file. */
export async function replaceFile(path: string, text: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true, mode: 0o700 });
  // Users who keep the file in a repository have a symbolic link here, so the target of the link is replaced.
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
