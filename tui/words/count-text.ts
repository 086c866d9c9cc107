/**
 * Returns a whole number with a comma at each thousand. The locale functions are avoided, because their first
 * use takes milliseconds.
 */
export function countText(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}

/** Returns a count that fits into three cells or more: `118`, `12k`, `3M`. Rounded down. */
export function shortCountText(count: number, width: number): string {
  const text = String(count);
  if (text.length <= width) return text;
  const thousands = `${String(Math.floor(count / 1000))}k`;
  return thousands.length <= width ? thousands : `${String(Math.floor(count / 1_000_000))}M`;
}
