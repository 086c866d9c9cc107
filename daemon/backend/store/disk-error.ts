import { errorMessage, MonError } from '../../../shared/errors.ts';

/** Returns the error for a LevelDB operation that failed because of the disk, or because the database is closed. */
export function diskError(location: string, verb: 'read' | 'write', error: unknown): MonError {
  const reason = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return new MonError('unavailable', `the store in ${location} cannot ${verb}: ${errorMessage(reason)}`, {
    cause: error,
  });
}
