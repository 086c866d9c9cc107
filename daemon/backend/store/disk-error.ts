import { errorMessage, MonError } from '../../../shared/errors.ts';

/** What LevelDB says when the disk, or a database that had to be closed, refuses. */
export function diskError(location: string, verb: 'read' | 'write', error: unknown): MonError {
  const reason = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return new MonError('unavailable', `the store in ${location} cannot ${verb}: ${errorMessage(reason)}`, {
    cause: error,
  });
}
