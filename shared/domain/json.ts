import { FORBIDDEN_NAMES } from './json-text.ts';
import { parseJsonReplacingSurrogates, replaceEscapedSurrogates } from './raw-control-characters.ts';

/** Matches text that possibly contains a forbidden name such as `__proto__`, even if written with `\u00` escapes. */
const MAY_HOLD_FORBIDDEN_NAME = /"(?:__proto__|constructor|prototype)"\s*:|\\u00/;

/**
 * Parses JSON and removes object members with a forbidden name such as `__proto__` at any depth (security S9).
 *
 * @throws SyntaxError if the text is not JSON
 */
export function parseJsonStripped(text: string): unknown {
  if (!MAY_HOLD_FORBIDDEN_NAME.test(text)) return parseJsonReplacingSurrogates(text);
  const value: unknown = JSON.parse(text, function strip(this: unknown, key: string, item: unknown): unknown {
    return FORBIDDEN_NAMES.has(key) && !Array.isArray(this) ? undefined : item;
  });
  return replaceEscapedSurrogates(text, value);
}

/** Whether a list or an object is nested in more than `levels` levels; the value itself is the first level. */
export function isDeeperThan(value: object, levels: number): boolean {
  if (levels === 0) return true;
  const items: readonly unknown[] = Array.isArray(value) ? value : Object.values(value);
  for (const item of items) {
    if (typeof item === 'object' && item !== null && isDeeperThan(item, levels - 1)) return true;
  }
  return false;
}
