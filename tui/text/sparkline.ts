const BAR_CHARACTERS = '▁▂▃▄▅▆▇█';

/**
 * Returns `values` as at most `cells` bars, the newest on the right. Each bar shows the mean of its values.
 *
 * @param most value of the tallest bar; by default the largest mean, at least 1
 */
export function sparkline(values: readonly number[], cells: number, most?: number): string {
  const perCell = Math.max(1, Math.ceil(values.length / cells));
  const means: number[] = [];
  // The values are divided among the bars from the newest value on, so that the oldest bar is the one with fewer
  // values.
  for (let end = values.length; end > 0; end -= perCell) {
    const part = values.slice(Math.max(0, end - perCell), end);
    means.unshift(part.reduce((sum, value) => sum + value, 0) / part.length);
  }
  const top = most ?? Math.max(...means, 1);
  return means
    .map(
      (mean) =>
        BAR_CHARACTERS[Math.min(BAR_CHARACTERS.length - 1, Math.floor((mean / top) * BAR_CHARACTERS.length))] ?? '',
    )
    .join('');
}
