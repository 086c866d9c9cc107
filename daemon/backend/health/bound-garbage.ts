import { setFlagsFromString } from 'node:v8';

/**
 * The heap growth in percent after which V8 collects garbage. By default V8 waits until there is three times as much:
 * under a flood of large requests the heap grew to 2.4 GiB with half a GiB in use.
 */
const GROWTH_PERCENT = 150;

/**
 * Limits the garbage in the heap. Called before the memory fills. The program sets it itself, because not every Node.js
 * accepts it as an option.
 */
export function boundGarbage(): void {
  setFlagsFromString(`--heap-growing-percent=${String(GROWTH_PERCENT)}`);
}
