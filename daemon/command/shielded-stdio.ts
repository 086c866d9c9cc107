import type { StdioOptions } from 'node:child_process';
import { closeSync, fstatSync, openSync, readdirSync, statSync } from 'node:fs';

/** A descriptor of ours, or what Node is to put there. */
type Stream = number | 'pipe' | 'ignore' | 'ipc';

/** What a child gets. Dispose of it once the child is spawned. */
interface ChildStdio extends Disposable {
  readonly stdio: StdioOptions;
}

/**
 * Standard streams for a child that gets nothing else from us.
 *
 * LevelDB opens its files without close-on-exec, so every child would hold them, and could write into them. Node cannot
 * close a descriptor in a child, but it can put another one over it: `/dev/null` goes over every number in use. Numbers
 * not in use stay free, because `spawn` needs one itself to tell us when the program cannot be started.
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

/** For a process in which only Node opens files, which closes them in each child by itself: nothing is shielded. */
export function plainStdio(streams: Parameters<typeof shieldedStdio>[0]): ChildStdio {
  return { stdio: [...streams], [Symbol.dispose]: () => undefined };
}

/** Lets go of what `shieldedStdio` has put over the numbers of the process that started this one. */
export function closeCovers(): void {
  const nullDevice = statSync('/dev/null');
  for (const descriptor of readdirSync('/dev/fd').map(Number)) {
    if (descriptor > 2 && isOpen(descriptor) && fstatSync(descriptor).rdev === nullDevice.rdev) closeSync(descriptor);
  }
}

/** The listing also names the descriptor that it was read from. */
function isOpen(descriptor: number): boolean {
  try {
    fstatSync(descriptor);
    return true;
  } catch {
    return false;
  }
}
