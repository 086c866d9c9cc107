/** A JSON object as it comes out of a file. */
export type Settings = Readonly<Record<string, unknown>>;

/** Deepest nesting of objects and arrays in a definition file (design S7). */
const DEPTH_MAX = 32;

/** Keys that could reach a prototype once somebody copies them carelessly (design S9). */
const FORBIDDEN_KEYS: ReadonlySet<string> = new Set(['__proto__', 'constructor', 'prototype']);

export interface SettingsProblem {
  /** Keys and indexes from the top to the place. */
  readonly path: readonly string[];
  readonly message: string;
}

/**
 * What must be refused before anything is merged.
 *
 * @returns the first problem in document order, `undefined` when there is none
 */
export function findSettingsProblem(value: unknown, path: readonly string[] = []): SettingsProblem | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  if (path.length >= DEPTH_MAX) {
    return { path, message: `is nested deeper than ${String(DEPTH_MAX)} levels; flatten it` };
  }
  for (const [key, inner] of Object.entries(value)) {
    const innerPath = [...path, key];
    if (FORBIDDEN_KEYS.has(key)) {
      return { path: innerPath, message: `is a reserved key; rename ${key}` };
    }
    const problem = findSettingsProblem(inner, innerPath);
    if (problem !== undefined) return problem;
  }
  return undefined;
}

/**
 * Later settings over earlier ones (completion 1.16): objects merge deeply, arrays are joined without duplicates (equal
 * as JSON text), anything else is replaced. Neither argument is changed. Only own keys are read, and every key becomes
 * an own key, whatever its name.
 */
export function mergeSettings(base: Settings, over: Settings): Settings {
  const merged = new Map<string, unknown>(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    merged.set(key, merged.has(key) ? mergeValues(merged.get(key), value) : value);
  }
  return Object.fromEntries(merged);
}

function mergeValues(base: unknown, over: unknown): unknown {
  if (Array.isArray(base) && Array.isArray(over)) {
    const byText = new Map<string, unknown>();
    for (const item of [...(base as readonly unknown[]), ...(over as readonly unknown[])]) {
      const text = JSON.stringify(item);
      if (!byText.has(text)) byText.set(text, item);
    }
    return [...byText.values()];
  }
  if (isSettings(base) && isSettings(over)) return mergeSettings(base, over);
  return over;
}

/** Whether a parsed JSON value is an object, not an array and not null. */
export function isSettings(value: unknown): value is Settings {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}
