/** One measurement of a Nagios plugin, behind the bar or another measurement: `time=0.01s;;;0`, `'used space'=80%`. */
const MEASUREMENT = /(?:'[^'=|]+'|[^\s'=|]+)=(?:[-+]?[\d.]|U(?:[\s;]|$))/.source;
const BEHIND_BAR = new RegExp(String.raw`\s*\|\s*${MEASUREMENT}.*$`);
const ONLY_MEASUREMENTS = new RegExp(String.raw`^\s*${MEASUREMENT}`);

/**
 * The output of a Nagios plugin as people read it, without the measurements behind `|`. A bar that is part of a text stays.
 * Lines of measurements that follow the second bar go as well.
 */
export function withoutPerformanceData(output: string): string {
  // Nearly always, and asked for each problem.
  if (!output.includes('|')) return output;
  let isData = false;
  const lines: string[] = [];
  for (const [index, line] of output.split('\n').entries()) {
    if (isData && ONLY_MEASUREMENTS.test(line)) continue;
    const text = line.replace(BEHIND_BAR, '');
    isData = index > 0 && text.length < line.length;
    if (!isData || text !== '') lines.push(text);
  }
  return lines.join('\n');
}
