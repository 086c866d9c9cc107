import type { StdioOptions } from 'node:child_process';
import { closeSync, fstatSync, openSync, readdirSync, statSync } from 'node:fs';

/** A descriptor of this program, or an instruction to Node.js. */
type Stream = number | 'pipe' | 'ignore' | 'ipc';

/** The standard streams of a child. Dispose of them once the child is spawned. */
interface ChildStdio extends Disposable {
  readonly stdio: StdioOptions;
}

/**
 * Returns standard streams for a child that inherits no other open file.
 *
 * LevelDB opens its files without close-on-exec, so every child would inherit them and could write to them. Node.js
 * cannot close a descriptor in a child, but it can replace it: `/dev/null` goes over every number in use. Unused
 * numbers stay free, because `spawn` itself needs one to report that the program cannot be started.
 */
export function shieldedStdio(
  streams: readonly [input: Stream, output: Stream, errors: Stream, ...others: readonly Stream[]],
): ChildStdio {
  const nullDevice = openSync('/dev/null', 'r+');
  const open = new Set(readdirSync('/dev/fd').map(Number).filter(isOpen));
  const first = streams.length;
  const covered = Math.max(0, Math.max(...open) + 1 - first);
  const covers = Array.from({ length: covered }, (_, index) => (open.has(first + index) ? nullDevice : 'ignore'));
  return {
    stdio: [...streams, ...covers],
    [Symbol.dispose]: () => closeSync(nullDevice),
  };
}

/**
 * Returns unshielded streams, for a process in which only Node.js opens files: it closes them in each child by itself.
 */
export function plainStdio(streams: Parameters<typeof shieldedStdio>[0]): ChildStdio {
  return { stdio: [...streams], [Symbol.dispose]: () => undefined };
}

/** Closes the `/dev/null` descriptors that `shieldedStdio` passed from the parent process. */
export function closeCovers(): void {
  const nullDevice = statSync('/dev/null');
  for (const descriptor of readdirSync('/dev/fd').map(Number)) {
    if (descriptor > 2 && isOpen(descriptor) && fstatSync(descriptor).rdev === nullDevice.rdev) closeSync(descriptor);
  }
}

/** True if the descriptor is open: the listing also contains the descriptor from which it was read. */
function isOpen(descriptor: number): boolean {
  try {
    fstatSync(descriptor);
    return true;
  } catch {
    return false;
  }
}
