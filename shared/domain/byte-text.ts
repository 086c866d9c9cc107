const MEBIBYTE_BYTES = 1024 * 1024;

/** Formats a number of bytes as whole mebibytes, rounded down so that free space is never overstated. */
export function formatMebibytes(bytes: number): string {
  return `${String(Math.floor(bytes / MEBIBYTE_BYTES))} MiB`;
}
