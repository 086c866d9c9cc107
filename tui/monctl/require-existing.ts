import { MonError } from '../../shared/errors.ts';

/**
 * Waits for a request and returns the object that it yields.
 *
 * @throws MonError `not_found` with the text `missing` when the object does not exist
 */
export async function requireExisting<Thing>(request: Promise<Thing | undefined>, missing: string): Promise<Thing> {
  const thing = await request;
  if (thing === undefined) throw new MonError('not_found', missing);
  return thing;
}

/**
 * Waits for a deletion.
 *
 * @throws MonError `not_found` with the text `missing` when the object did not exist
 */
export async function requireRemoved(request: Promise<boolean>, missing: string): Promise<void> {
  if (!(await request)) throw new MonError('not_found', missing);
}
