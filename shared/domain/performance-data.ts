/** One measurement of a Nagios plugin, behind the bar or another measurement: `time=0.01s;;;0`, `'used space'=80%`. */
const MEASUREMENT = /\s*(?:'[^'=|]+'|[^\s'=|]+)=(?:[-+]?[\d.]|U(?:[\s;]|$))/y;

/**
 * The output of a Nagios plugin as people read it, without the measurements behind `|`. A bar that is part of a text
 * stays. Lines of measurements that follow the second bar go as well.
 */
export function withoutPerformanceData(output: string): string {
  // Nearly always, and asked for each problem.
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

/** Looks behind each bar once: the output may be long, and nothing but bars or spaces. */
function beforeMeasurements(line: string): string {
  for (let bar = line.indexOf('|'); bar !== -1; bar = line.indexOf('|', bar + 1)) {
    if (isMeasurementAt(line, bar + 1)) return line.slice(0, bar).trimEnd();
  }
  return line;
}

function isMeasurementAt(line: string, position: number): boolean {
  MEASUREMENT.lastIndex = position;
  return MEASUREMENT.test(line);
}
