import { errorMessage, MonError } from '../../../shared/errors.ts';

/** The address and the port that a listener is configured with. */
export interface ListenAddress {
  readonly bind: string;
  readonly port: number;
}

/**
 * Returns an error that tells operators why a server cannot listen.
 *
 * @param remedy name of the setting or option that changes the port
 * @returns `conflict` if the port is in use, `invalid` if the address cannot be used
 */
export function listenProblem(error: unknown, { bind, port }: ListenAddress, remedy: string): MonError {
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  return isTaken
    ? new MonError(
        'conflict',
        `${bind}:${String(port)} is in use by another program: stop that program, or set another ${remedy}`,
        { cause: error },
      )
    : new MonError('invalid', `cannot listen on ${bind}:${String(port)}: ${errorMessage(error)}`, { cause: error });
}
