import { MonError } from '../errors.ts';

/** @returns undefined: what is asked for is not there, or the backend is of a version that has no such route */
export async function ifThere<Found>(asked: Promise<Found>): Promise<Found | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (error instanceof MonError && error.code === 'not_found') return undefined;
    throw error;
  }
}
