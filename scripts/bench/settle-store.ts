import { Level } from 'level';

/**
 * Compacts a LevelDB store, as LevelDB does by itself after a while. A real backend rarely starts on a store that was
 * just filled.
 */
export async function compactStore(dir: string): Promise<void> {
  // The type `Level` omits this method because browsers do not have it.
  const database = new Level(dir) as Level & { compactRange(from: string, to: string): Promise<void> };
  await database.open();
  await database.compactRange('\u0000', '\uffff');
  await database.close();
}
