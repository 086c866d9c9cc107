import { Level } from 'level';

/** Has LevelDB sort what it was given, as it would by itself in a while: a store that is started on was not just filled. */
export async function settleStore(dir: string): Promise<void> {
  // What there is in browsers cannot do it, so that its type says nothing of it.
  const database = new Level(dir) as Level & { compactRange(from: string, to: string): Promise<void> };
  await database.open();
  await database.compactRange('\u0000', '\uffff');
  await database.close();
}
