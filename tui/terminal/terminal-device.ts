import { closeSync, constants, openSync, writeSync } from 'node:fs';

/** The terminal as a destination of bytes. */
export interface TerminalDevice {
  /**
   * Writes as much as the terminal accepts at once, and never waits.
   *
   * @returns the number of accepted bytes; 0 when the terminal is busy
   * @throws when the terminal is gone
   */
  write(bytes: Uint8Array): number;
  close(): void;
}

/** The file descriptor of standard output. */
const STDOUT = 1;

/**
 * First the terminal of standard output itself; then the controlling one, if another user owns the first
 * (`su`).
 */
const PATHS = [`/proc/self/fd/${String(STDOUT)}`, '/dev/tty'];

/**
 * Opens the terminal of standard output a second time, so that our own descriptor can be non-blocking. On the
 * shared one that would break the shell. `process.stdout` itself writes to a terminal synchronously, so one
 * ctrl-s or a hung ssh would stop the whole event loop (console 0.4).
 */
export function openTerminalDevice(): TerminalDevice {
  const own = openNonBlocking();
  const descriptor = own ?? STDOUT;
  return {
    write: (bytes) => writeWhatFits(descriptor, bytes),
    close: () => {
      if (own !== undefined) closeSync(own);
    },
  };
}

/**
 * Opens the terminal without blocking.
 *
 * @returns `undefined` if the system has no such path: then writes block, which is worse but works
 */
function openNonBlocking(): number | undefined {
  for (const path of PATHS) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    } catch {
      // The next path may work.
    }
  }
  return undefined;
}

function writeWhatFits(descriptor: number, bytes: Uint8Array): number {
  try {
    return writeSync(descriptor, bytes);
  } catch (error) {
    if (error instanceof Error && 'code' in error && (error.code === 'EAGAIN' || error.code === 'EINTR')) return 0;
    throw error;
  }
}
