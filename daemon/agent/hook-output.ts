import { ATTRIBUTE_LIMITS } from '../../shared/schemas/fixed-limits.ts';

/**
 * The maximum size of a hook's output as JSON. The output counts among the attributes of the result. A backend rejects
 * a result with too many of them, so the result of the check itself would be lost.
 */
const OUTPUT_BYTES_MAX = ATTRIBUTE_LIMITS.bytes / 2;

const CUT_NOTE = `\n... output truncated after ${String(OUTPUT_BYTES_MAX / 1024)} KiB`;

/** Shortens the output of a hook so that it can be delivered. */
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
