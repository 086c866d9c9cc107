import { isAttributes } from '../attributes.ts';
import { SyntaxProblem } from './syntax-problem.ts';
import { Pattern } from './pattern.ts';
import {
  PatternMatch,
  isTruthyInScript,
  boundText,
  ScriptDate,
  ScriptError,
  ScriptPattern,
  toNumber,
  toText,
  type ScriptFunction,
} from './script-values.ts';

type ReceiverMethods<Receiver> = Readonly<Record<string, (receiver: Receiver, ...args: readonly unknown[]) => unknown>>;

const TEXT_METHODS: ReceiverMethods<string> = {
  indexOf: (text, part) => text.indexOf(toText(part)),
  lastIndexOf: (text, part) => text.lastIndexOf(toText(part)),
  includes: (text, part) => text.includes(toText(part)),
  startsWith: (text, part) => text.startsWith(toText(part)),
  endsWith: (text, part) => text.endsWith(toText(part)),
  toLowerCase: (text) => boundText(text.toLowerCase()),
  toUpperCase: (text) => boundText(text.toUpperCase()),
  trim: (text) => text.trim(),
  toString: (text: string) => text,
  charAt: (text, at) => text.charAt(toNumber(at)),
  concat: (text, ...parts) => boundText(text + parts.map(toText).join('')),
  slice: (text, start, end) => text.slice(toNumber(start), end === undefined ? undefined : toNumber(end)),
  substring: (text, start, end) => text.substring(toNumber(start), end === undefined ? undefined : toNumber(end)),
  substr: (text, start, length) => {
    const from = toNumber(start);
    const at = from < 0 ? Math.max(0, text.length + from) : from;
    return text.slice(at, length === undefined ? undefined : at + toNumber(length));
  },
  split: (text, sign) => (sign === undefined ? [text] : text.split(plainText(sign))),
  replace: (text, sign, other) => boundText(text.replace(plainText(sign), () => toText(other))),
  match: (text, pattern) => (hasMatchIn(pattern, text) ? new PatternMatch() : null),
  search: (text, pattern) => (hasMatchIn(pattern, text) ? 0 : -1),
};

const NUMBER_METHODS: ReceiverMethods<number> = {
  toString: (value: number) => String(value),
  toFixed: (value, digits) => value.toFixed(Math.min(20, Math.max(0, Math.trunc(toNumber(digits)) || 0))),
};

const LIST_METHODS: ReceiverMethods<readonly unknown[]> = {
  indexOf: (list, item) => list.indexOf(item),
  lastIndexOf: (list, item) => list.lastIndexOf(item),
  includes: (list, item) => list.includes(item),
  join: (list, sign) =>
    boundText(list.map((item) => ((item ?? null) === null ? '' : toText(item))).join(separatorText(sign))),
  slice: (list, start, end) => list.slice(toNumber(start), end === undefined ? undefined : toNumber(end)),
  some: (list, test) => list.some((item, at) => isTruthyInScript(requireFunction('some', test)(item, at))),
  every: (list, test) => list.every((item, at) => isTruthyInScript(requireFunction('every', test)(item, at))),
  filter: (list, test) => list.filter((item, at) => isTruthyInScript(requireFunction('filter', test)(item, at))),
  find: (list, test) => list.find((item, at) => isTruthyInScript(requireFunction('find', test)(item, at))),
  map: (list, change) => list.map((item, at) => requireFunction('map', change)(item, at)),
  toString: (list: readonly unknown[]) => toText(list),
};

const PATTERN_METHODS: ReceiverMethods<ScriptPattern> = {
  test: (pattern, text) => hasMatchIn(pattern, toText(text)),
  exec: (pattern, text) => (hasMatchIn(pattern, toText(text)) ? new PatternMatch() : null),
};

/** The methods of dates. All of them use UTC. */
const DATE_METHODS: ReceiverMethods<ScriptDate> = {
  ...Object.fromEntries(
    (['FullYear', 'Month', 'Date', 'Day', 'Hours', 'Minutes', 'Seconds'] as const).flatMap((field) => {
      const read = ({ ms }: ScriptDate): number => new Date(ms)[`getUTC${field}`]();
      return [
        [`get${field}`, read],
        [`getUTC${field}`, read],
      ];
    }),
  ),
  getTime: ({ ms }) => ms,
  valueOf: ({ ms }: ScriptDate) => ms,
  toISOString: (date) => toText(date),
  getTimezoneOffset: () => 0,
};

/**
 * Returns the member `object[key]` of a value: an own attribute, an item or character by its index, `length`, or a
 * supported method; `undefined` if there is no such member.
 *
 * @throws ScriptError if `object` is null, undefined or a `PatternMatch`
 */
export function memberOf(object: unknown, key: unknown): unknown {
  const name = toText(key);
  if (object === undefined || object === null) {
    throw new ScriptError(`cannot read the field ${name} of ${String(object)}`);
  }
  if (typeof object === 'string') {
    if (name === 'length') return object.length;
    return /^\d+$/.test(name) ? object[Number(name)] : bindMethod(TEXT_METHODS, object, name);
  }
  if (typeof object === 'number') return bindMethod(NUMBER_METHODS, object, name);
  if (Array.isArray(object)) {
    const list: readonly unknown[] = object;
    if (name === 'length') return list.length;
    return /^\d+$/.test(name) ? list[Number(name)] : bindMethod(LIST_METHODS, list, name);
  }
  if (object instanceof ScriptPattern) return bindMethod(PATTERN_METHODS, object, name);
  if (object instanceof ScriptDate) return bindMethod(DATE_METHODS, object, name);
  if (object instanceof PatternMatch)
    throw new ScriptError('the text that a pattern matched is not available: only test whether the pattern matches');
  if (!isAttributes(object)) return undefined;
  if (Object.hasOwn(object, name)) return object[name];
  if (name === 'hasOwnProperty') return (own: unknown) => Object.hasOwn(object, toText(own));
  return name === 'toString' ? () => toText(object) : undefined;
}

function bindMethod<Receiver>(
  members: ReceiverMethods<Receiver>,
  receiver: Receiver,
  name: string,
): ScriptFunction | undefined {
  if (!Object.hasOwn(members, name)) return undefined;
  const call = members[name];
  return call && ((...args) => call(receiver, ...args));
}

function requireFunction(name: string, value: unknown): ScriptFunction {
  if (typeof value !== 'function') throw new ScriptError(`${name}() needs a function as its argument`);
  return value as ScriptFunction;
}

function plainText(sign: unknown): string {
  if (sign instanceof ScriptPattern) throw new ScriptError('expected a string, not a regular expression');
  return toText(sign);
}

function separatorText(sign: unknown): string {
  return sign === undefined ? ',' : toText(sign);
}

/**
 * Whether a pattern matches anywhere in a text.
 *
 * @throws ScriptError if the pattern is invalid, or if testing it takes too long
 */
function hasMatchIn(pattern: unknown, text: string): boolean {
  const hasMatch = (pattern instanceof ScriptPattern ? pattern.pattern : patternOf(pattern)).hasMatchIn(text);
  if (hasMatch === undefined)
    throw new ScriptError('testing the pattern takes too long, because the tested text is too long');
  return hasMatch;
}

function patternOf(source: unknown): Pattern {
  const text = source === undefined ? '' : toText(source);
  if (text.length > PATTERN_LENGTH_MAX) throw new ScriptError('the pattern is too long');
  try {
    return new Pattern(text, { ignoresCase: false, offset: 0 });
  } catch (error) {
    if (error instanceof SyntaxProblem) throw new ScriptError(error.message);
    throw error;
  }
}

const PATTERN_LENGTH_MAX = 256;
