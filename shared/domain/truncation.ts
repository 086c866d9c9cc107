/** Default length of a truncated output, in characters (reference 2.2). */
const LENGTH_DEFAULT = 255;

type OutputOwner = Readonly<Record<string, unknown>> & { readonly output: string };

/** Returns a result for storage: its output is truncated if `truncate_output` says so. Events keep the whole output. */
export function withStoredOutput<Check extends OutputOwner>(check: Check): Check {
  if (!truncatesOutput(check)) return check;
  return replaceOutput(check, truncateOutput(check.output, check['truncate_output_length']));
}

/** Cuts the output in stored results and events to `max_output_size` bytes, like Sensu Go. Handlers get all of it. */
export function withinOutputSize<Check extends OutputOwner>(check: Check): Check {
  const most = check['max_output_size'];
  return typeof most === 'number' && most > 0 ? replaceOutput(check, firstBytes(check.output, most)) : check;
}

function replaceOutput<Check extends OutputOwner>(check: Check, output: string): Check {
  return output === check.output ? check : { ...check, output };
}

/** Returns the longest prefix of whole characters that fits in a number of UTF-8 bytes. */
function firstBytes(text: string, bytes: number): string {
  // In UTF-8, each UTF-16 unit takes at most three bytes.
  if (text.length * 3 <= bytes) return text;
  let left = bytes;
  let end = 0;
  for (const character of text) {
    left -= bytesOf(character.codePointAt(0) ?? 0);
    if (left < 0) return text.slice(0, end);
    end += character.length;
  }
  return text;
}

function bytesOf(codePoint: number): number {
  if (codePoint < 0x80) return 1;
  if (codePoint < 0x8_00) return 2;
  return codePoint < 0x1_00_00 ? 3 : 4;
}

/**
 * Whether the output of a stored result is truncated. By default, only the output of results of the type `metric` is
 * truncated, as in Sensu Core (reference 2.2), except that of v2 checks.
 */
export function truncatesOutput(check: Readonly<Record<string, unknown>>): boolean {
  if (check['truncate_output'] === true) return true;
  return check['type'] === 'metric' && check['truncate_output'] !== false && !isV2Metric(check);
}

/** Whether a result of the type `metric` is one of a v2 check. mon sets this type so that handlers get all results. */
function isV2Metric(check: Readonly<Record<string, unknown>>): boolean {
  const { output_metric_handlers: handlers, event_metadata: metadata } = check;
  return metadata !== undefined || (Array.isArray(handlers) && handlers.length > 0);
}

/**
 * Returns the first line of an output, followed by `\n...` if something was cut. A line longer than `length` is cut to
 * one character more than `length`, as in Sensu Core. Trailing newlines are removed without adding `\n...`
 * (legacy-peer, State machine).
 *
 * @param length characters (code points); if it is not a positive integer, 255 is used
 */
export function truncateOutput(output: string, length: unknown): string {
  const most = Number.isInteger(length) && (length as number) > 0 ? (length as number) : LENGTH_DEFAULT;
  const newline = output.indexOf('\n');
  if (newline === -1 && output.length <= most) return output;
  const first = newline === -1 ? output : output.slice(0, newline);
  const isLastLine = newline === -1 || isBlankFrom(output, newline);
  // An output that consists only of newlines stays as it is.
  const line = isLastLine && first === '' ? output : first;
  // Counting code points is slow. So they are counted only if there are too many code units, and only as far as needed.
  const characters = line.length > most ? Array.from(line.slice(0, 2 * (most + 1))) : [];
  if (characters.length > most) return `${characters.slice(0, most + 1).join('')}\n...`;
  return isLastLine ? line : `${line}\n...`;
}

function isBlankFrom(output: string, start: number): boolean {
  for (let at = start; at < output.length; at++) if (output[at] !== '\n') return false;
  return true;
}
