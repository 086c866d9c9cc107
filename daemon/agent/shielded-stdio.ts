import { closeSync, openSync, readdirSync } from 'node:fs';
import type { StdioOptions } from 'node:child_process';

/**
 * Standard streams for a child that gets nothing else from us: nothing to read, one pipe for what it writes.
 *
 * LevelDB opens its files without close-on-exec, so every child would hold them, and could write into them. Node cannot
 * close a descriptor in a child, but it can put another one over it: `/dev/null` goes over every number in use.
 * Dispose of it once the child is spawned.
 */
export function shieldedStdio(): Disposable & { readonly stdio: StdioOptions } {
  const nullDevice = openSync('/dev/null', 'r+');
  const highest = readdirSync('/dev/fd').reduce((most, name) => Math.max(most, Number(name)), 2);
  const covers = Array.from({ length: highest - 2 }, () => nullDevice);
  return {
    stdio: ['ignore', 'pipe', 'ignore', ...covers],
    [Symbol.dispose]: () => closeSync(nullDevice),
  };
}
