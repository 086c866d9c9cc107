/** Limits on the number of simultaneous connections. */
export interface ConnectionLimits {
  readonly all: number;
  /** Limit on direct and tunneled connections together. Tunnels from other backends use no file descriptors. */
  readonly withTunnels: number;
  readonly perAddress: number;
  /** Number of simultaneous rejected connections that get a response with the reason; further ones are only closed. */
  readonly rejectionsWithReason: number;
}

/** Maximum number of file descriptors reserved for store, handlers and log; at most a quarter of those available. */
const RESERVED_MAX = 1024;

/** Lower bound for the default limit on connections from one address. */
const PER_ADDRESS_LEAST = 100;

/**
 * Returns the limits on simultaneous connections, from the settings and the number of file descriptors.
 *
 * @param all limit on all connections in the settings
 * @param perAddress limit per address in the settings; if undefined, a tenth of all connections, but at least 100
 * @param openFilesMax number of file descriptors that the process can open
 */
export function connectionLimits(all: number, perAddress: number | undefined, openFilesMax: number): ConnectionLimits {
  const reserved = Math.min(RESERVED_MAX, Math.ceil(openFilesMax / 4));
  const possible = Math.min(all, openFilesMax - reserved);
  return {
    all: possible,
    withTunnels: all,
    perAddress: perAddress ?? Math.max(PER_ADDRESS_LEAST, Math.floor(possible / 10)),
    rejectionsWithReason: Math.floor(reserved / 16),
  };
}

/** The exceeded limit because of which a connection is rejected: `total` or that of its `address`. */
export type ConnectionRejection = 'total' | 'address';

/**
 * Returns the limit that a new connection would exceed; undefined if it is accepted.
 *
 * @param open numbers of current connections
 * @param isShared whether many clients share the address, as behind a proxy
 */
export function connectionRejection(
  open: { readonly all: number; readonly ofAddress: number },
  isShared: boolean,
  { all, perAddress }: Pick<ConnectionLimits, 'all' | 'perAddress'>,
): ConnectionRejection | undefined {
  if (open.all >= all) return 'total';
  return !isShared && open.ofAddress >= perAddress ? 'address' : undefined;
}
