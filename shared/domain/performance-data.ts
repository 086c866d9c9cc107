/** Matches the start of a measurement of a Nagios plugin, such as `time=0.01s;;;0` or `'used space'=80%`. */
const MEASUREMENT_START = /\s*(?:'[^'=|]+'|[^\s'=|]+)=(?:[-+]?[\d.]|U(?:[\s;]|$))/y;

/**
 * Removes the measurements after `|` from the output of a Nagios plugin. A bar stays if no measurement follows it. If
 * measurements are removed from a line after the first, following lines that begin with a measurement are removed too.
 */
export function withoutPerformanceData(output: string): string {
  // Fast path: nearly all outputs have no bar, and this function runs for each event.
  if (!output.includes('|')) return output;
  let isData = false;
  const lines: string[] = [];
  for (const [index, line] of output.split('\n').entries()) {
    if (isData && isMeasurementAt(line, 0)) continue;
    const text = beforeMeasurements(line);
    isData = index > 0 && text.length < line.length;
    if (!isData || text !== '') lines.push(text);
  }
  return lines.join('\n');
}

/**
 * Returns a line without its measurements. Each bar is tested only once, so that an output of many bars costs little.
 */
function beforeMeasurements(line: string): string {
  for (let bar = line.indexOf('|'); bar !== -1; bar = line.indexOf('|', bar + 1)) {
    if (isMeasurementAt(line, bar + 1)) return line.slice(0, bar).trimEnd();
  }
  return line;
}

function isMeasurementAt(line: string, position: number): boolean {
  MEASUREMENT_START.lastIndex = position;
  return MEASUREMENT_START.test(line);
}
