/** Nobody but the owner gets at what is made (security S21). */
const PRIVATE_UMASK = 0o077;

/**
 * The mask is of the whole process, and so is this. Undefined: it is still the one that the program was started with.
 */
let inherited: number | undefined;

/**
 * Makes every file 0600 and every directory 0700 from now on, those of LevelDB included. For programs alone, before
 * they make anything.
 */
export function makePrivately(): void {
  inherited ??= process.umask(PRIVATE_UMASK);
}

/** The mask that the program was started with. */
export function inheritedUmask(): number {
  return inherited ?? process.umask();
}

/** Starts a command under the mask that the program was started with: what commands make is not ours to hide. */
export function withInheritedUmask<T>(start: () => T): T {
  if (inherited === undefined) return start();
  process.umask(inherited);
  try {
    return start();
  } finally {
    process.umask(PRIVATE_UMASK);
  }
}
