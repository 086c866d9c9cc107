import type { StdioOptions } from 'node:child_process';
import { closeSync, fstatSync, openSync, readdirSync } from 'node:fs';

/** A descriptor of ours, or what Node is to put there. */
type Stream = number | 'pipe' | 'ignore';

/**
 * Standard streams for a child that gets nothing else from us.
 *
 * LevelDB opens its files without close-on-exec, so every child would hold them, and could write into them. Node cannot
 * close a descriptor in a child, but it can put another one over it: `/dev/null` goes over every number in use. Numbers
 * not in use stay free, because `spawn` needs one itself to tell us when the program cannot be started.
 * Dispose of it once the child is spawned.
 */
export function shieldedStdio(
  streams: readonly [input: Stream, output: Stream, errors: Stream],
): Disposable & { readonly stdio: StdioOptions } {
  const nullDevice = openSync('/dev/null', 'r+');
  const open = new Set(readdirSync('/dev/fd').map(Number).filter(isOpen));
  const highest = Math.max(2, ...open);
  const covers = Array.from({ length: highest - 2 }, (_, index) => (open.has(index + 3) ? nullDevice : 'ignore'));
  return {
    stdio: [...streams, ...covers],
    [Symbol.dispose]: () => closeSync(nullDevice),
  };
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
