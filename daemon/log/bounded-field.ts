/**
 * Maximum length of a text in a log field, in UTF-16 code units (security S17). A log line must never contain the whole
 * output of a check or the whole body of a request.
 */
const TEXT_LENGTH_MAX = 4096;
/** The maximum number of items of a list, and of attributes of an object. */
const ITEMS_MAX = 50;
const DEPTH_MAX = 6;
/** The maximum total length of all texts and names of one field. */
const FIELD_LENGTH_MAX = 4 * TEXT_LENGTH_MAX;

const CUT_MARK = '...';

/** Returns the value of a log field, truncated to the limits above. */
export function boundField(value: unknown): unknown {
  let left = FIELD_LENGTH_MAX;

  function text(original: string): string {
    const length = Math.min(original.length, TEXT_LENGTH_MAX, Math.max(0, left));
    left -= length;
    return length < original.length ? `${original.slice(0, length)}${CUT_MARK}` : original;
  }

  function boundPart(original: unknown, depth: number): unknown {
    if (typeof original === 'string') return text(original);
    if (typeof original !== 'object' || original === null) return original;
    if (depth > DEPTH_MAX || left <= 0) return CUT_MARK;
    // An object that converts itself to JSON, such as a date.
    if ('toJSON' in original) return original;
    if (Array.isArray(original)) {
      const items = original.slice(0, ITEMS_MAX).map((item) => boundPart(item, depth + 1));
      return original.length > ITEMS_MAX
        ? [...items, `${CUT_MARK} ${String(original.length - ITEMS_MAX)} more`]
        : items;
    }
    const entries = Object.entries(original);
    const shown = entries.slice(0, ITEMS_MAX).map(([name, item]) => [text(name), boundPart(item, depth + 1)] as const);
    if (entries.length > ITEMS_MAX) shown.push([CUT_MARK, `${String(entries.length - ITEMS_MAX)} more`]);
    return Object.fromEntries(shown);
  }

  return boundPart(value, 1);
}
