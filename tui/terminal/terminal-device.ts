import { closeSync, constants, openSync, writeSync } from 'node:fs';

/** The terminal as a destination of bytes. */
export interface TerminalDevice {
  /**
   * Writes as many bytes as the terminal accepts at once, and never waits for it.
   *
   * @returns the number of accepted bytes; 0 if the terminal is busy
   * @throws the error of the system when the terminal is gone
   */
  write(bytes: Uint8Array): number;
  close(): void;
}

/** The file descriptor of standard output. */
const STDOUT_DESCRIPTOR = 1;

/**
 * Paths by which the terminal is opened. The controlling terminal is used if another user owns the terminal of standard
 * output, for example after `su`.
 */
const DEVICE_PATHS = [`/proc/self/fd/${String(STDOUT_DESCRIPTOR)}`, '/dev/tty'];

/**
 * Opens the terminal of standard output again, with a separate file descriptor that does not block. The shell shares
 * the descriptor of standard output and would break if that one did not block. `process.stdout` writes to a terminal
 * synchronously, so ctrl-s or a hung ssh connection would block the event loop (console 0.4).
 */
export function openTerminalDevice(): TerminalDevice {
  const own = openNonBlocking();
  const descriptor = own ?? STDOUT_DESCRIPTOR;
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
 * @returns the file descriptor; `undefined` if no path can be opened. Writes to standard output can then block
 */
function openNonBlocking(): number | undefined {
  for (const path of DEVICE_PATHS) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    } catch {
      // This path cannot be opened, so the next path is tried.
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
