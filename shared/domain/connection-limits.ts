/** Limits of the number of simultaneous connections. */
export interface ConnectionLimits {
  readonly all: number;
  /** The limit of `all` with the connections that other members forward, which need no descriptors. */
  readonly withTunnels: number;
  readonly perAddress: number;
  /** Most rejected connections that are answered with 503 at once; further ones are only closed. */
  readonly answered: number;
}

/** Descriptors that are reserved for the store, the handlers and the log; a quarter if the process has few. */
const RESERVED_MAX = 1024;

/** The lowest limit of connections of one address. */
const PER_ADDRESS_LEAST = 100;

/**
 * @param all that the settings allow
 * @param perAddress that the settings allow; undefined: a tenth of all
 * @param openFilesMax descriptors that the process may have
 */
export function connectionLimits(all: number, perAddress: number | undefined, openFilesMax: number): ConnectionLimits {
  const reserved = Math.min(RESERVED_MAX, Math.ceil(openFilesMax / 4));
  const possible = Math.min(all, openFilesMax - reserved);
  return {
    all: possible,
    withTunnels: all,
    perAddress: perAddress ?? Math.max(PER_ADDRESS_LEAST, Math.floor(possible / 10)),
    answered: Math.floor(reserved / 16),
  };
}

/** Why a connection is rejected: too many in total, or too many from its address. */
export type ConnectionRejection = 'total' | 'address';

/**
 * @param open the current number of connections
 * @param isShared whether many clients share the address, such as that of a proxy
 */
export function connectionRejection(
  open: { readonly all: number; readonly ofAddress: number },
  isShared: boolean,
  { all, perAddress }: Pick<ConnectionLimits, 'all' | 'perAddress'>,
): ConnectionRejection | undefined {
  if (open.all >= all) return 'total';
  return !isShared && open.ofAddress >= perAddress ? 'address' : undefined;
}
