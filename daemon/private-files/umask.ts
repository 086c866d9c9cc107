/** The umask that denies all other users access to new files (security S21). */
const PRIVATE_UMASK = 0o077;

/**
 * The umask with which the program was started; undefined if it is still in effect. It is global because a umask
 * applies to the whole process.
 */
let inherited: number | undefined;

/**
 * Makes every new file 0600 and every new directory 0700, including those of LevelDB. Only for programs, before they
 * create files.
 */
export function makePrivately(): void {
  inherited ??= process.umask(PRIVATE_UMASK);
}

/** Returns the umask with which the program was started. */
export function inheritedUmask(): number {
  return inherited ?? process.umask();
}

/** Starts a command with the umask with which the program was started: files of commands need not be private. */
export function withInheritedUmask<T>(start: () => T): T {
  if (inherited === undefined) return start();
  process.umask(inherited);
  try {
    return start();
  } finally {
    process.umask(PRIVATE_UMASK);
  }
}
