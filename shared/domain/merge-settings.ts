/** Settings as a JSON object, as parsed from a file. */
export type Settings = Readonly<Record<string, unknown>>;

/**
 * Merges two objects with settings; `over` overrides `base` (completion 1.16). Objects are merged recursively. Arrays
 * are joined, and items with the same JSON text appear once. Other values are replaced, and so is a `command` that is a
 * list: a mix of two commands would run something that nobody wrote. Neither argument is changed. Only own keys are
 * read, and every key becomes an own key, even `__proto__`.
 */
export function mergeSettings(base: Settings, over: Settings): Settings {
  const merged = new Map<string, unknown>(Object.entries(base));
  for (const [key, value] of Object.entries(over)) {
    const isReplaced = !merged.has(key) || (key === 'command' && Array.isArray(value));
    merged.set(key, isReplaced ? value : mergeValues(merged.get(key), value));
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
