import { attributeText } from '../attributes.ts';
import { localTime, type LocalTime } from '../local-time.ts';
import {
  EvaluationFailure,
  isEqual,
  kindText,
  numberOrFailure,
  textOrFailure,
  ZonedTime,
  NumberRange,
} from './values.ts';

/** The implementation of a method; it returns `undefined` if it does not support its receiver or an argument. */
type MethodCall = (receiver: unknown, ...args: readonly unknown[]) => unknown;

interface Method {
  /** Number of arguments. */
  readonly takes: number;
  readonly call: MethodCall;
}

/** All methods by their names in Ruby (completion 1.9). */
const METHODS_BY_NAME: ReadonlyMap<string, Method> = new Map([
  ['nil?', { takes: 0, call: (receiver: unknown) => receiver === null }],
  ['include?', { takes: 1, call: includesValue }],
  ['start_with?', { takes: 1, call: textComparison((text, start) => text.startsWith(start)) }],
  ['end_with?', { takes: 1, call: textComparison((text, end) => text.endsWith(end)) }],
  ['between?', { takes: 2, call: isBetween }],
  ['empty?', { takes: 0, call: (receiver: unknown) => (isCollection(receiver) ? receiver.length === 0 : undefined) }],
  ['length', { takes: 0, call: lengthOf }],
  ['size', { takes: 0, call: lengthOf }],
  ['downcase', { takes: 0, call: textMethod((text) => text.toLowerCase()) }],
  ['upcase', { takes: 0, call: textMethod((text) => text.toUpperCase()) }],
  ['to_s', { takes: 0, call: toText }],
  ['to_i', { takes: 0, call: toInteger }],
  ['to_f', { takes: 0, call: toFloat }],
  ['abs', { takes: 0, call: (receiver: unknown) => (typeof receiver === 'number' ? Math.abs(receiver) : undefined) }],
  ['hour', { takes: 0, call: timeMethod(({ hour }) => hour) }],
  ['min', { takes: 0, call: timeMethod(({ minute }) => minute) }],
  ['sec', { takes: 0, call: timeMethod(({ second }) => second) }],
  ['day', { takes: 0, call: timeMethod(({ day }) => day) }],
  ['month', { takes: 0, call: timeMethod(({ month }) => month) }],
  ['year', { takes: 0, call: timeMethod(({ year }) => year) }],
  ['wday', { takes: 0, call: timeMethod(({ weekday }) => weekday) }],
  ['yday', { takes: 0, call: timeMethod(({ dayOfYear }) => dayOfYear) }],
]);

export const METHOD_NAMES: readonly string[] = [...METHODS_BY_NAME.keys()];

/** Returns the number of arguments of a method; undefined if there is no such method. */
export function argumentCount(name: string): number | undefined {
  return METHODS_BY_NAME.get(name)?.takes;
}

export function callMethod(name: string, receiver: unknown, args: readonly unknown[]): unknown {
  const result = METHODS_BY_NAME.get(name)?.call(receiver, ...args);
  if (result !== undefined) return result;
  const kinds = args.length === 0 ? '' : ` with ${args.map(kindText).join(' and ')}`;
  return new EvaluationFailure(`${kindText(receiver)} has no ${name}${kinds}`);
}

function includesValue(receiver: unknown, target: unknown): unknown {
  if (Array.isArray(receiver)) return receiver.some((item) => isEqual(item, target));
  if (typeof receiver === 'string' && typeof target === 'string') return receiver.includes(target);
  if (receiver instanceof NumberRange && typeof target === 'number') {
    return receiver.first <= target && target <= receiver.last;
  }
  return undefined;
}

function isBetween(receiver: unknown, first: unknown, last: unknown): unknown {
  if (typeof receiver !== 'number' || typeof first !== 'number' || typeof last !== 'number') return undefined;
  return first <= receiver && receiver <= last;
}

function isCollection(value: unknown): value is string | readonly unknown[] {
  return typeof value === 'string' || Array.isArray(value);
}

/** Returns the number of items of a list, or of characters (not UTF-16 units) of a text; undefined for other values. */
function lengthOf(receiver: unknown): unknown {
  if (Array.isArray(receiver)) return receiver.length;
  if (typeof receiver !== 'string') return undefined;
  let length = 0;
  for (let index = 0; index < receiver.length; length++) index += (receiver.codePointAt(index) ?? 0) > 0xff_ff ? 2 : 1;
  return length;
}

function toText(receiver: unknown): unknown {
  if (receiver instanceof NumberRange || receiver instanceof ZonedTime || kindText(receiver) === 'an object')
    return undefined;
  return textOrFailure(attributeText(receiver));
}

/**
 * Matches the number at the start of a text. As in Ruby, a text without a number at its start converts to 0. At most
 * 400 digits are read, because a longer number is infinite anyway.
 */
const NUMBER_START = /^\s{0,64}[+-]?\d{1,400}(?:\.\d{1,400})?(?:[eE][+-]?\d{1,4})?/;
const INTEGER_START = /^\s{0,64}[+-]?\d{1,400}/;

function toFloat(receiver: unknown): unknown {
  if (typeof receiver === 'string') return numberOrFailure(Number(NUMBER_START.exec(receiver)?.[0] ?? 0));
  if (receiver === null) return 0;
  return typeof receiver === 'number' ? receiver : undefined;
}

function toInteger(receiver: unknown): unknown {
  if (receiver instanceof ZonedTime) return Math.floor(receiver.epochSeconds);
  if (typeof receiver === 'string') return numberOrFailure(Number(INTEGER_START.exec(receiver)?.[0] ?? 0));
  const number = toFloat(receiver);
  return typeof number === 'number' ? Math.trunc(number) : number;
}

function textMethod(change: (text: string) => string): MethodCall {
  return (receiver) => {
    if (typeof receiver !== 'string') return undefined;
    const text = textOrFailure(receiver);
    return typeof text === 'string' ? textOrFailure(change(text)) : text;
  };
}

function textComparison(test: (text: string, other: string) => boolean): MethodCall {
  return (receiver, other) =>
    typeof receiver === 'string' && typeof other === 'string' ? test(receiver, other) : undefined;
}

function timeMethod(field: (time: LocalTime) => number): MethodCall {
  return (receiver) =>
    receiver instanceof ZonedTime ? field(localTime(receiver.epochSeconds * 1000, receiver.zone)) : undefined;
}
