import { DatabaseError } from 'pg';
import { errorMessage, MonError } from '../../../../shared/errors.ts';

/** Remedies by SQLSTATE, for errors that recur with every retry until an operator fixes the cause. */
const REMEDIES_BY_STATE: Readonly<Record<string, string>> = {
  '28P01': 'the password in the setting store is wrong',
  '28000': 'the user in the setting store may not log in from this host; check pg_hba.conf of the database',
  '3D000': 'there is no such database; create it with createdb, or name another one in the setting store',
  '42501': 'the user in the setting store lacks rights; let it create its schema: GRANT CREATE ON DATABASE ... TO ...',
};

/**
 * Hints by SQLSTATE, for errors that an operator must fix at the database; the backend continues to retry meanwhile.
 */
const HINTS_BY_STATE: Readonly<Record<string, string>> = {
  '53100': 'the disk of the database is full, free some space there',
  '53300': 'the database has no connection left, raise its max_connections',
};

const UNKNOWN_AUTHORITY = 'set sslrootcert in the setting store to the CA certificate of the database';

/** Hints by Node.js error code, for errors in the verification of the database server's TLS certificate. */
const TLS_HINTS: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNKNOWN_AUTHORITY,
  SELF_SIGNED_CERT_IN_CHAIN: UNKNOWN_AUTHORITY,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNKNOWN_AUTHORITY,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNKNOWN_AUTHORITY,
};

/**
 * SQLSTATEs after which a connection is no longer usable: the server stops or starts, has become a standby, or has
 * ended the session because of a timeout.
 */
const LOST_CONNECTION_STATES = new Set(['57P01', '57P02', '57P03', '57P05', '25006', '25P03', '25P04']);
const CONNECTION_CLASS = '08';

/**
 * Returns the error for a failed database operation; a `MonError` is returned unchanged. The code is `unavailable` even
 * if an operator must act, because the problem could be fixed before the next attempt.
 *
 * @param shown hosts and name of the database, without credentials
 */
export function databaseError(shown: string, verb: 'connect' | 'read' | 'write', error: unknown): MonError {
  if (error instanceof MonError) return error;
  const remedy = remedyOf(error);
  const message =
    remedy === undefined
      ? `the store ${shown} cannot ${verb}: ${hintOf(error)}${reasonOf(error)}`
      : `the store ${shown} cannot be used: ${remedy} (${errorMessage(error)})`;
  return new MonError('unavailable', message, { cause: error });
}

/**
 * Returns the error for a failed start of the backend. Its code is `invalid` if every retry would fail until an
 * operator has fixed the problem.
 */
export function openingError(shown: string, error: unknown): MonError {
  const { code, message, cause } = databaseError(shown, 'read', error);
  return new MonError(remedyOf(cause) === undefined ? code : 'invalid', message, { cause });
}

const remedyOf = (error: unknown): string | undefined =>
  error instanceof DatabaseError ? REMEDIES_BY_STATE[error.code ?? ''] : undefined;

function hintOf(error: unknown): string {
  const hint = error instanceof DatabaseError ? HINTS_BY_STATE[error.code ?? ''] : TLS_HINTS[codeOf(error)];
  return hint === undefined ? '' : `${hint}: `;
}

/**
 * True if the error is the server's response to a statement that it rejected: the statement had no effect, and the
 * connection stays usable.
 */
export function isServerResponse(error: unknown): boolean {
  if (!(error instanceof DatabaseError) || error.code === undefined) return false;
  return !LOST_CONNECTION_STATES.has(error.code) && !error.code.startsWith(CONNECTION_CLASS);
}

function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : '';
}

/**
 * Returns the message of an error. If a host name has several addresses and none can be reached, Node.js throws a list
 * of errors with an empty message; their messages are joined.
 */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError && error.message === '') return error.errors.map(errorMessage).join('; ');
  return errorMessage(error);
}
