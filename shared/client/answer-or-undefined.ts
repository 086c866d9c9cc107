import { MonError } from '../errors.ts';

/** @returns undefined if the object does not exist, or the backend's version has no such route */
export async function ifThere<Result>(request: Promise<Result>): Promise<Result | undefined> {
  try {
    return await request;
  } catch (error) {
    if (error instanceof MonError && error.code === 'not_found') return undefined;
    throw error;
  }
}
