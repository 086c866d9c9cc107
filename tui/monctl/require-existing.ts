import { MonError } from '../../shared/errors.ts';

/**
 * Returns the object, which must exist.
 *
 * @throws MonError `not_found` with this text when it does not
 */
export async function requireExisting<Thing>(request: Promise<Thing | undefined>, missing: string): Promise<Thing> {
  const thing = await request;
  if (thing === undefined) throw new MonError('not_found', missing);
  return thing;
}

/**
 * Waits for a deletion.
 *
 * @throws MonError `not_found` with this text when the object did not exist
 */
export async function removed(request: Promise<boolean>, missing: string): Promise<void> {
  if (!(await request)) throw new MonError('not_found', missing);
}
