/**
 * Returns a whole number with a comma at each thousand. It does not use the locale functions of JavaScript, because
 * their first use takes milliseconds.
 */
export function countText(count: number): string {
  return String(count).replaceAll(/\B(?=(?:\d{3})+$)/g, ',');
}

/** Returns a count, rounded down if it does not fit into `width` cells (at least 3): `118`, `12k`, `3M`. */
export function shortCountText(count: number, width: number): string {
  const text = String(count);
  if (text.length <= width) return text;
  const thousands = `${String(Math.floor(count / 1000))}k`;
  return thousands.length <= width ? thousands : `${String(Math.floor(count / 1_000_000))}M`;
}
