import { closeSync, constants, openSync, writeSync } from 'node:fs';

/** The terminal as a destination of bytes. */
export interface TerminalDevice {
  /**
   * Writes as many bytes as the terminal accepts at once, and never waits for it.
   *
   * @returns the number of accepted bytes; 0 if the terminal is busy
   * @throws an error when the terminal is gone
   */
  write(bytes: Uint8Array): number;
  close(): void;
}

/** The file descriptor of standard output. */
const STDOUT = 1;

/**
 * Paths at which the terminal may be opened: that of standard output, or else the controlling terminal, if another user
 * owns the first (`su`).
 */
const PATHS = [`/proc/self/fd/${String(STDOUT)}`, '/dev/tty'];

/**
 * Opens the terminal of standard output a second time, because only a file descriptor of our own can be non-blocking:
 * on the shared descriptor that would break the shell. `process.stdout` writes to a terminal synchronously, so ctrl-s
 * or a hung ssh connection would block the whole event loop (console 0.4).
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
 * Opens the terminal for non-blocking writes.
 *
 * @returns the file descriptor; `undefined` if no path can be opened, and then writes to standard output may block
 */
function openNonBlocking(): number | undefined {
  for (const path of PATHS) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    } catch {
      // The next path is tried.
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
