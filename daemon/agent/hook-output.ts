import { ATTRIBUTE_LIMITS } from '../../shared/schemas/fixed-limits.ts';

/**
 * Maximum size of the output of a hook, in bytes of JSON. The output is an attribute of the check's result. A backend
 * rejects a result whose attributes are too large, so a longer output would lose the result of the check itself.
 */
const OUTPUT_BYTES_MAX = ATTRIBUTE_LIMITS.bytes / 2;

const CUT_NOTE = `\n... output truncated after ${String(OUTPUT_BYTES_MAX / 1024)} KiB`;

/** Truncates the output of a hook, and appends a note, if it is larger than a backend accepts. */
export function truncateHookOutput(output: string): string {
  let left = OUTPUT_BYTES_MAX;
  let end = 0;
  for (const character of output) {
    left -= Buffer.byteLength(JSON.stringify(character)) - 2;
    if (left < 0) return `${output.slice(0, end)}${CUT_NOTE}`;
    end += character.length;
  }
  return output;
}
