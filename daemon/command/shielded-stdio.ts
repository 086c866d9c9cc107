import type { StdioOptions } from 'node:child_process';
import { closeSync, fstatSync, openSync, readdirSync, statSync } from 'node:fs';

/** A file descriptor of this program, or a stream type of Node.js. */
type Stream = number | 'pipe' | 'ignore' | 'ipc';

/** The standard streams of a child process. Dispose of them as soon as the child process has been spawned. */
interface ChildStdio extends Disposable {
  readonly stdio: StdioOptions;
}

/**
 * Returns standard streams for a child process, with which it inherits no other open file of this program.
 *
 * LevelDB opens its files without close-on-exec, so every child process would inherit them and could write to them.
 * Node.js cannot close a descriptor in a child process, but can replace it: `/dev/null` replaces every other open
 * descriptor. Unused descriptor numbers stay free, because `spawn` itself needs one to report that a program cannot be
 * started.
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
 * Returns standard streams without replaced descriptors, for a process in which only Node.js opens files: Node.js
 * closes its own files in every child process.
 */
export function unshieldedStdio(streams: Parameters<typeof shieldedStdio>[0]): ChildStdio {
  return { stdio: [...streams], [Symbol.dispose]: () => undefined };
}

/** Closes the `/dev/null` descriptors that this process inherited because its parent process used `shieldedStdio`. */
export function closeNullDescriptors(): void {
  const nullDevice = statSync('/dev/null');
  for (const descriptor of readdirSync('/dev/fd').map(Number)) {
    if (descriptor > 2 && isOpen(descriptor) && fstatSync(descriptor).rdev === nullDevice.rdev) closeSync(descriptor);
  }
}

/**
 * True if the descriptor is open. A listing of `/dev/fd` also contains the descriptor from which it was read, which is
 * closed afterwards.
 */
function isOpen(descriptor: number): boolean {
  try {
    fstatSync(descriptor);
    return true;
  } catch {
    return false;
  }
}
