import { ATTRIBUTE_LIMITS } from '../../shared/schemas/fixed-limits.ts';

/**
 * Bytes of JSON that are kept of what a hook prints. It counts among the attributes of the result, and a backend
 * refuses a result with too many: that of the check itself would be lost.
 */
const OUTPUT_BYTES_MAX = ATTRIBUTE_LIMITS.bytes / 2;

const CUT_NOTE = `\n... output cut after ${String(OUTPUT_BYTES_MAX / 1024)} KiB`;

/** The output of a hook, short enough to be delivered. */
export function withinHookOutput(output: string): string {
  let left = OUTPUT_BYTES_MAX;
  let end = 0;
  for (const character of output) {
    left -= Buffer.byteLength(JSON.stringify(character)) - 2;
    if (left < 0) return `${output.slice(0, end)}${CUT_NOTE}`;
    end += character.length;
  }
  return output;
}
