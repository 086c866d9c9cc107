/** Keys that could reach a prototype when objects are copied or merged; none of them is an attribute of anything. */
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

/** Any of those keys in JSON text, also spelled with escapes: whoever writes `\u005f` gets a closer look as well. */
const MAY_HOLD_FORBIDDEN_KEY = /"(?:__proto__|constructor|prototype)"\s*:|\\u00/;

/**
 * JSON text to a value without those keys at any depth (design, S9).
 *
 * @throws SyntaxError when the text is not JSON
 */
export function parseJsonStripped(text: string): unknown {
  if (!MAY_HOLD_FORBIDDEN_KEY.test(text)) return JSON.parse(text);
  return JSON.parse(text, function strip(this: unknown, key: string, value: unknown): unknown {
    return FORBIDDEN_KEYS.has(key) && !Array.isArray(this) ? undefined : value;
  });
}
