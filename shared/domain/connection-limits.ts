/** Limits on the number of simultaneous connections. */
export interface ConnectionLimits {
  readonly all: number;
  /** Limit on all connections and the tunnels of other backends together. Tunnels use no file descriptors. */
  readonly withTunnels: number;
  readonly perAddress: number;
  /** Number of simultaneous rejected connections that get a response with the reason; further ones are only closed. */
  readonly rejectionsWithReason: number;
}

/** File descriptors reserved for the store, the handlers and the log; at most a quarter of those available. */
const RESERVED_MAX = 1024;

/** Minimum of the default limit per address. */
const PER_ADDRESS_LEAST = 100;

/**
 * Returns the limits that apply to connections.
 *
 * @param all limit on all connections in the settings
 * @param perAddress limit per address in the settings; undefined: a tenth of all
 * @param openFilesMax number of file descriptors that the process may open
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

/** The exceeded limit because of which a connection is rejected: that of all connections, or that of one address. */
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
