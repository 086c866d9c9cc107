/** What the API takes at most (security S7). */

export const URL_LENGTH_MAX = 8 * 1024;
export const HEADER_BYTES_MAX = 16 * 1024;

/**
 * Of one request. There is no limit on the output of a result besides: the peer had none, so whatever fits is kept.
 * Recorded was a result of 2 MiB; that one is refused here (completion 1.21).
 */
export const BODY_BYTES_MAX = 1024 * 1024;

/** Deepest nesting of a stash, which nothing here ever looks into: recorded was one of 500 levels. */
export const STASH_DEPTH_MAX = 512;

export function formatBytes(bytes: number): string {
  return bytes % (1024 * 1024) === 0 ? `${String(bytes / 1024 / 1024)} MiB` : `${String(bytes)} bytes`;
}
