import { MonError } from '../../shared/errors.ts';

/** @throws MonError `not_found` with this text when there is no such thing */
export async function found<Thing>(asked: Promise<Thing | undefined>, missing: string): Promise<Thing> {
  const thing = await asked;
  if (thing === undefined) throw new MonError('not_found', missing);
  return thing;
}

/** @throws MonError `not_found` with this text when it was not there to be removed */
export async function removed(asked: Promise<boolean>, missing: string): Promise<void> {
  if (!(await asked)) throw new MonError('not_found', missing);
}
