/** Characters kept of an output that is cut (reference 2.2). */
const LENGTH_DEFAULT = 255;

/** Whether the stored result keeps only the beginning of its output: metrics do unless told otherwise (reference 2.2). */
export function truncatesOutput(check: Readonly<Record<string, unknown>>): boolean {
  return check['truncate_output'] === true || (check['type'] === 'metric' && check['truncate_output'] !== false);
}

/**
 * The first line, followed by `\n...` when something was cut. A line longer than `length` keeps one character more than
 * it says, because the peer's slice is inclusive; newlines at the end are dropped without the mark (legacy-peer, State
 * machine).
 *
 * @param length characters (code points); anything but a positive integer means 255
 */
export function truncateOutput(output: string, length: unknown): string {
  const most = Number.isInteger(length) && (length as number) > 0 ? (length as number) : LENGTH_DEFAULT;
  const newline = output.indexOf('\n');
  if (newline === -1 && output.length <= most) return output;
  const first = newline === -1 ? output : output.slice(0, newline);
  const isLastLine = newline === -1 || isBlankFrom(output, newline);
  // Nothing but newlines has no lines, and is taken as it is.
  const line = isLastLine && first === '' ? output : first;
  // Code points are only counted when the code units exceed the bound, and no more of them than decide.
  const characters = line.length > most ? Array.from(line.slice(0, 2 * (most + 1))) : [];
  if (characters.length > most) return `${characters.slice(0, most + 1).join('')}\n...`;
  return isLastLine ? line : `${line}\n...`;
}

function isBlankFrom(output: string, start: number): boolean {
  for (let at = start; at < output.length; at++) if (output[at] !== '\n') return false;
  return true;
}
