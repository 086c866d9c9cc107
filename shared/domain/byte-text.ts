const MEBIBYTE = 1024 * 1024;

/** Whole mebibytes, rounded down: no more than there is. */
export function formatMebibytes(bytes: number): string {
  return `${String(Math.floor(bytes / MEBIBYTE))} MiB`;
}
