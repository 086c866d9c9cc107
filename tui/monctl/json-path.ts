import { isObject } from '../../shared/client/compiled-check.ts';
import { MonError } from '../../shared/errors.ts';

/** One step of a path: an attribute by name, an item by its index (from the end if negative), or all of them. */
type PathStep = string | number | typeof ALL_ITEMS;

const ALL_ITEMS = Symbol('*');

/** A parsed path into a JSON value. */
export type JsonPath = readonly PathStep[];

/** Maximum length of the text of a path, far more than anyone types. */
const TEXT_LENGTH_MAX = 1000;

/**
 * Matches one step: `name`, `.name`, `.*`, `[0]`, `[-1]`, `[*]`, `['any name']` or `["any name"]`. Only the first step
 * may omit its dot.
 */
const STEP_FORMAT = /(?:\.?([\w-]+)|\.?(\*)|\[(-?\d{1,9})\]|\[(\*)\]|\['([^']*)'\]|\["([^"]*)"\])/y;

/**
 * Parses a path such as `.client.labels.region`, `[*].client.name` or `{.items[0]['any name']}`. It is the part of
 * JSONPath that selects attributes and items by name and by index; there are no filters and no expressions. A `$` at
 * the start and braces around the path are optional.
 *
 * @throws MonError `invalid` for any other text
 */
export function parseJsonPath(text: string): JsonPath {
  const inner = (/^\{(.*)\}$/.exec(text.trim())?.[1] ?? text.trim()).replace(/^\$/, '');
  if (text.length > TEXT_LENGTH_MAX) throw new MonError('invalid', 'the path is too long');
  if (inner === '.' || inner === '') return [];
  const steps: PathStep[] = [];
  for (STEP_FORMAT.lastIndex = 0; STEP_FORMAT.lastIndex < inner.length;) {
    const at = STEP_FORMAT.lastIndex;
    const [step, name, everyName, index, everyIndex, quoted, doubleQuoted] = STEP_FORMAT.exec(inner) ?? [];
    const isGlued = at > 0 && step !== undefined && /^[\w*-]/.test(step);
    if (step === undefined || isGlued) {
      throw new MonError(
        'invalid',
        `${JSON.stringify(text)} is not a path from character ${String(at + 1)} on: write a path such as .client.name, [*].id or ['any name']`,
      );
    }
    if (index !== undefined) steps.push(Number(index));
    else steps.push((everyName ?? everyIndex) === undefined ? (name ?? quoted ?? doubleQuoted ?? '') : ALL_ITEMS);
  }
  return steps;
}

/** Returns the parts of a JSON value that a path selects, in order; nothing for what does not exist. */
export function selectValues(value: unknown, path: JsonPath): readonly unknown[] {
  let values: readonly unknown[] = [value];
  for (const step of path) values = values.flatMap((one) => stepInto(one, step));
  return values;
}

function stepInto(value: unknown, step: PathStep): readonly unknown[] {
  if (Array.isArray(value)) {
    if (step === ALL_ITEMS) return value;
    const item: unknown = typeof step === 'number' ? value.at(step) : undefined;
    return item === undefined ? [] : [item];
  }
  if (!isObject(value) || typeof step === 'number') return [];
  if (step === ALL_ITEMS) return Object.values(value);
  const attribute = Object.hasOwn(value, step) ? value[step] : undefined;
  return attribute === undefined ? [] : [attribute];
}
