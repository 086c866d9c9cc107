import { closeSync, constants, openSync, writeSync } from 'node:fs';

/** The terminal as a place for bytes. */
export interface TerminalDevice {
  /**
   * Writes what the terminal takes at once and never waits.
   *
   * @returns bytes taken; 0 when the terminal is busy
   * @throws when the terminal is gone
   */
  write(bytes: Uint8Array): number;
  close(): void;
}

/** The file descriptor of standard output. */
const STDOUT = 1;

/** First the very terminal behind standard output; then, where its owner is somebody else (`su`), the controlling one. */
const PATHS = [`/proc/self/fd/${String(STDOUT)}`, '/dev/tty'];

/**
 * Opens the terminal behind standard output a second time, because a descriptor of our own can be made non-blocking:
 * on the shared one that would surprise the shell. `process.stdout` itself writes to a terminal synchronously, so that
 * one ctrl-s or a hung ssh stops the whole event loop (console 0.4).
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

/** @returns `undefined` where the system has no such path: then writing blocks, which is worse but works */
function openNonBlocking(): number | undefined {
  for (const path of PATHS) {
    try {
      return openSync(path, constants.O_WRONLY | constants.O_NONBLOCK | constants.O_NOCTTY);
    } catch {
      // Not here; the next one may do.
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
