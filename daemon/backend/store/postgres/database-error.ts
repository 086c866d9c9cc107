import { DatabaseError } from 'pg';
import { errorMessage, MonError } from '../../../../shared/errors.ts';

/** What an operator has to mend before trying again helps. By SQLSTATE. */
const REMEDIES: Readonly<Record<string, string>> = {
  '28P01': 'the password in the setting store is wrong',
  '28000': 'the user in the setting store may not log in from here; look at pg_hba.conf of the database',
  '3D000': 'there is no such database; make it with createdb, or name another in the setting store',
  '42501': 'the user in the setting store lacks rights; let it create its schema: GRANT CREATE ON DATABASE ... TO ...',
};

/** What of a server says that it goes away, comes up, or is a standby by now: the connection is of no use any more. */
const GONE = new Set(['57P01', '57P02', '57P03', '57P05', '25006', '25P03']);
const CONNECTION_CLASS = '08';

/** @param shown the database, without credentials */
export function databaseError(shown: string, verb: 'connect' | 'read' | 'write', error: unknown): MonError {
  if (error instanceof MonError) return error;
  const remedy = error instanceof DatabaseError ? REMEDIES[error.code ?? ''] : undefined;
  if (remedy !== undefined) {
    return new MonError('invalid', `the store ${shown} cannot be used: ${remedy} (${errorMessage(error)})`, {
      cause: error,
    });
  }
  return new MonError('unavailable', `the store ${shown} cannot ${verb}: ${reasonOf(error)}`, { cause: error });
}

/** Whether the server answered: what it refuses was not done, and the connection goes on. */
export function isAnswer(error: unknown): boolean {
  if (!(error instanceof DatabaseError) || error.code === undefined) return false;
  return !GONE.has(error.code) && !error.code.startsWith(CONNECTION_CLASS);
}

/** A host that resolves to several addresses fails with a list of errors and no words. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(errorMessage).join('; ');
  return errorMessage(error);
}
