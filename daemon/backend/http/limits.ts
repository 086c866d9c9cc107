/** Limits of API requests (security S7). */

export const URL_LENGTH_MAX = 8 * 1024;
export const HEADER_BYTES_MAX = 16 * 1024;

/**
 * Maximum size of the body of a request, in bytes. The output of a result has no separate limit, because Sensu has
 * none. Sensu accepts a result of 2 MiB (recorded), but it is rejected here (completion 1.21).
 */
export const BODY_BYTES_MAX = 1024 * 1024;

/**
 * Maximum nesting depth of a stash. It is high because Sensu accepts a stash of 500 levels (recorded), and the content
 * of a stash is never evaluated.
 */
export const STASH_DEPTH_MAX = 512;

export function formatBytes(bytes: number): string {
  return bytes % (1024 * 1024) === 0 ? `${String(bytes / 1024 / 1024)} MiB` : `${String(bytes)} bytes`;
}
