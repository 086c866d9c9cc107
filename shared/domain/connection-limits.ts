/** Limits on simultaneous connections. */
export interface ConnectionLimits {
  readonly all: number;
  /** Limit including tunnels of other backends, which use no file descriptors. */
  readonly withTunnels: number;
  readonly perAddress: number;
  /** Number of simultaneous rejected connections that get a reason; further ones are only closed. */
  readonly answered: number;
}

/** File descriptors reserved for the store, the handlers and the log; at most a quarter of those available. */
const RESERVED_MAX = 1024;

/** Smallest default limit per address. */
const PER_ADDRESS_LEAST = 100;

/**
 * @param all limit in the settings
 * @param perAddress limit in the settings; undefined: a tenth of all
 * @param openFilesMax file descriptors that the process may open
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

/** The exceeded limit that rejects a connection: of all connections or of one address. */
export type ConnectionRejection = 'total' | 'address';

/**
 * @param open current connections
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
