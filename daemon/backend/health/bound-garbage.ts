import { setFlagsFromString } from 'node:v8';

/**
 * How much garbage there may be beside what is in use, percent. By itself V8 waits until there is three times as much:
 * under a flood of large requests that were 2.4 GiB for half of one in use.
 */
const GROWTH_PERCENT = 150;

/** To be called before the memory fills. Set by the program itself: not every Node takes it as an option. */
export function boundGarbage(): void {
  setFlagsFromString(`--heap-growing-percent=${String(GROWTH_PERCENT)}`);
}
