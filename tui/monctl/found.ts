import { MonError } from '../../shared/errors.ts';

/**
 * Returns the object, which must exist.
 *
 * @throws MonError `not_found` with this text when it does not
 */
export async function found<Thing>(asked: Promise<Thing | undefined>, missing: string): Promise<Thing> {
  const thing = await asked;
  if (thing === undefined) throw new MonError('not_found', missing);
  return thing;
}

/**
 * Waits for a deletion.
 *
 * @throws MonError `not_found` with this text when the object did not exist
 */
export async function removed(asked: Promise<boolean>, missing: string): Promise<void> {
  if (!(await asked)) throw new MonError('not_found', missing);
}
