/** How many connections there may be at once. */
export interface ConnectionLimits {
  readonly all: number;
  /** As `all`, with the tunnels of other backends, which take no descriptors. */
  readonly withTunnels: number;
  readonly perAddress: number;
  /** Connections that are refused at once: so many hear why, the others are only cut. */
  readonly told: number;
}

/** Descriptors that are left to the store, the handlers and the log; a quarter where the process may have few. */
const RESERVED_MAX = 1024;

/** Nobody is refused for the address alone before that. */
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
    told: Math.floor(reserved / 16),
  };
}

/** Why a connection is refused: there are too many of all, or of its address. */
export type ConnectionRefusal = 'all' | 'address';

/**
 * @param open connections now
 * @param isShared whether the address speaks for many, as a proxy does
 */
export function connectionRefusal(
  open: { readonly all: number; readonly ofAddress: number },
  isShared: boolean,
  { all, perAddress }: Pick<ConnectionLimits, 'all' | 'perAddress'>,
): ConnectionRefusal | undefined {
  if (open.all >= all) return 'all';
  return !isShared && open.ofAddress >= perAddress ? 'address' : undefined;
}
