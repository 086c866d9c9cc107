import { MonError } from '../errors.ts';

/**
 * Returns the result of a request, or undefined if it fails with `not_found`: the object does not exist, or the
 * backend's version has no such route.
 */
export async function undefinedIfNotFound<Result>(request: Promise<Result>): Promise<Result | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof MonError && error.code === 'not_found') return undefined;
    throw error;
  }
}
