import { errorMessage, MonError } from '../../../shared/errors.ts';

/** Where a server listens. */
export interface ListenAddress {
  readonly bind: string;
  readonly port: number;
}

/**
 * Why a server cannot listen, for people.
 *
 * @param remedy what gives it another port
 * @returns `conflict` when the port is taken, `invalid` when the address cannot be used
 */
export function listenProblem(error: unknown, { bind, port }: ListenAddress, remedy: string): MonError {
  const isTaken = error instanceof Error && 'code' in error && error.code === 'EADDRINUSE';
  return isTaken
    ? new MonError('conflict', `${bind}:${String(port)} is in use: stop that program, or choose another ${remedy}`, {
        cause: error,
      })
    : new MonError('invalid', `cannot listen on ${bind}:${String(port)}: ${errorMessage(error)}`, { cause: error });
}
