/** Limits of API requests (security S7). */

export const URL_LENGTH_MAX = 8 * 1024;
export const HEADER_BYTES_MAX = 16 * 1024;

/**
 * Maximum bytes of the body of a request. There is no separate limit on the output of a result: Sensu had none, so
 * any output that fits is stored. A result of 2 MiB was recorded; this one is rejected here (completion 1.21).
 */
export const BODY_BYTES_MAX = 1024 * 1024;

/** Maximum nesting depth of a stash, whose content is never evaluated: one of 500 levels was recorded. */
export const STASH_DEPTH_MAX = 512;

export function formatBytes(bytes: number): string {
  return bytes % (1024 * 1024) === 0 ? `${String(bytes / 1024 / 1024)} MiB` : `${String(bytes)} bytes`;
}
