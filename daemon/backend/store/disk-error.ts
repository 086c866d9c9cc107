import { errorMessage, MonError } from '../../../shared/errors.ts';

/** What LevelDB says when the disk, or a database that had to be closed, refuses. */
export function diskError(location: string, verb: 'read' | 'write', error: unknown): MonError {
  const reason = error instanceof Error && error.cause !== undefined ? error.cause : error;
  return new MonError('unavailable', `the store in ${location} cannot ${verb}: ${errorMessage(reason)}`, {
    cause: error,
  });
}

/** A write failed, and the disk does not let it be taken back yet: a crash now could leave it there. */
export class UnsettledWriteError extends MonError {
  constructor(location: string, cause: unknown) {
    super('unavailable', `${diskError(location, 'write', cause).message}; nor can it be taken back yet`, { cause });
  }
}
