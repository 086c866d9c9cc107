import { cp, open, readdir, readFile, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { openLevelStore } from '../../daemon/backend/store/level-store.ts';
import { tempDir } from './temp-dir.ts';

/** All values of each key in the order of the writes; `undefined` stands for a deletion. */
export type Story = ReadonlyMap<string, readonly (string | undefined)[]>;

const BUFFER_BYTES = 128 * 1024;
const KEYS = 60;

/**
 * Creates a LevelDB store with several tables and a log.
 *
 * @param isKilled true to return a copy of the open store's files, as they are after a kill
 */
export async function writtenStore(
  writes: number,
  isKilled = false,
): Promise<{ readonly dir: string; readonly id: string; readonly story: Story }> {
  const dir = await tempDir();
  const store = await openLevelStore(dir, { writeBufferBytes: BUFFER_BYTES });
  const lease = await store.acquire('main', 30_000);
  const story = new Map<string, (string | undefined)[]>();
  for (let count = 0; count < writes; count++) {
    const name = `client-${String((count * 7) % KEYS)}`;
    const value = count % 11 === 10 ? undefined : `${String(count)} ${'v'.repeat(1500)} ${String(Math.sqrt(count))}`;
    story.set(name, [...(story.get(name) ?? []), value]);
    const key = ['client', 'default', name];
    await store.write(
      lease,
      [value === undefined ? { type: 'del', key } : { type: 'put', key, value }],
      [['client', 'default', name]],
    );
  }
  if (isKilled) {
    const copy = join(await tempDir(), 'killed');
    await cp(dir, copy, { recursive: true });
    await store.close();
    return { dir: copy, id: store.id, story };
  }
  await store.close();
  return { dir, id: store.id, story };
}

/** Opens a store, and returns the values of its clients by name. */
export async function storedValues(
  dir: string,
  options: Parameters<typeof openLevelStore>[1] = {},
): Promise<Map<string, string>> {
  const store = await openLevelStore(dir, options);
  const held = new Map<string, string>();
  try {
    for await (const [key, value] of store.scan(['client'])) held.set(String(key[2]), value);
  } finally {
    await store.close();
  }
  return held;
}

/** Returns the expected content of the store: the newest value of each key that was not deleted. */
export function newestOf(story: Story): Map<string, string> {
  return new Map(
    [...story].flatMap(([name, values]) => (values.at(-1) === undefined ? [] : [[name, values.at(-1) ?? '']])),
  );
}

/** Returns the files of a directory by name, without LevelDB's lock and log of messages. */
export async function filesOf(dir: string): Promise<Map<string, string>> {
  const names = (await readdir(dir)).filter((name) => !/^(?:LOG|LOCK)/.test(name));
  return new Map(
    await Promise.all(
      names.map(async (name): Promise<[string, string]> => {
        const path = join(dir, name);
        return [name, (await stat(path)).isFile() ? await readFile(path, 'latin1') : ''];
      }),
    ),
  );
}

/** Flips one bit of a file: bit number `bit` of the byte at the offset `at`. */
export async function flip(path: string, at: number, bit = 0): Promise<void> {
  await using file = await open(path, 'r+');
  const byte = Buffer.alloc(1);
  await file.read(byte, 0, 1, at);
  await file.write(Buffer.from([(byte[0] ?? 0) ^ (1 << bit)]), 0, 1, at);
}
