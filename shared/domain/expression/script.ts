import { catchSyntaxProblem, type ExpressionProblem } from './syntax-problem.ts';
import { memberOf } from './script-members.ts';
import { parseScript } from './parse-script.ts';
import type { BinarySign, ScriptNode } from './script-tree.ts';
import {
  isLooselyEqual,
  isTruthyInScript,
  boundText,
  ScriptDate,
  ScriptError,
  ScriptPattern,
  toNumber,
  toPrimitive,
  toText,
  typeName,
  type ScriptFunction,
} from './script-values.ts';

/**
 * A parsed script in filters and proxy requests of the v2 API, where Sensu Go runs JavaScript. Its language is a small
 * part of JavaScript, interpreted here and never run by a JavaScript engine. It has no loops, no assignments and no
 * access to files or network, and runs a bounded number of steps.
 *
 * - `event`, `entity`: attributes by `.name` and `['name']`; a missing attribute is `undefined`, and reading an
 *   attribute of `undefined` throws
 * - literals, lists, `/patterns/i` in linear time, `! - + typeof * / % < <= > >= == != === !== && || ?:`
 * - methods of texts, lists, patterns and dates, and `hasOwnProperty`; functions that return an expression, as
 *   arguments of `some` and similar methods
 * - `hour(seconds)` and `weekday(seconds)` in UTC, `parseInt parseFloat Number String Boolean isNaN`, `JSON.stringify`,
 *   `Math.floor` and similar, `Object.keys`, `new Date(milliseconds)`; `var name = value;` in front
 */
export interface Script {
  readonly kind: 'script';
  readonly source: string;
  readonly root: ScriptNode;
}

export type ScriptOutcome =
  | { readonly kind: 'value'; readonly value: unknown }
  /** The script failed with an error, so it has no value for this event or entity. */
  | { readonly kind: 'thrown'; readonly message: string };

/** Parses a script. Never throws. */
export function readScript(source: string): Script | ExpressionProblem {
  return catchSyntaxProblem(() => ({ kind: 'script', source, root: parseScript(source) }));
}

/** Maximum number of syntax nodes evaluated in one run of a script; a node in a function counts at each call. */
const EVALUATED_NODES_MAX = 20_000;

/**
 * Evaluates a script. Never throws.
 *
 * @param names the variables of the script: `{event}` or `{entity}`
 * @param nowMs the current time in epoch milliseconds
 */
export function runScript({ root }: Script, names: Readonly<Record<string, unknown>>, nowMs: number): ScriptOutcome {
  const globals = new Map<string, unknown>([...FIXED_NAMES, ['Date', { now: () => nowMs }], ...Object.entries(names)]);
  try {
    return { kind: 'value', value: new ScriptRun(nowMs).value(root, globals) };
  } catch (error) {
    if (error instanceof ScriptError) return { kind: 'thrown', message: error.message };
    throw error;
  }
}

type ScriptScope = ReadonlyMap<string, unknown>;

class ScriptRun {
  readonly #nowMs: number;
  #steps = 0;

  constructor(nowMs: number) {
    this.#nowMs = nowMs;
  }

  value(node: ScriptNode, scope: ScriptScope): unknown {
    if (++this.#steps > EVALUATED_NODES_MAX) throw new ScriptError('the expression takes too many steps');
    switch (node.kind) {
      case 'literal':
        return node.value;
      case 'pattern':
        return new ScriptPattern(node.pattern);
      case 'list':
        return node.items.map((item) => this.value(item, scope));
      case 'name':
        if (!scope.has(node.name)) throw new ScriptError(`there is no variable ${node.name}`);
        return scope.get(node.name);
      case 'member':
        return memberOf(this.value(node.object, scope), this.value(node.key, scope));
      case 'call':
        return this.#call(node, scope);
      case 'date':
        return new ScriptDate(node.time === undefined ? this.#nowMs : dateMs(this.value(node.time, scope)));
      case 'function':
        return (...args: readonly unknown[]) =>
          this.value(node.body, new Map([...scope, ...node.parameters.map((name, at) => [name, args[at]] as const)]));
      case 'unary':
        return this.#unary(node, scope);
      case 'binary':
        return this.#binary(node, scope);
      case 'choice':
        return this.value(isTruthyInScript(this.value(node.condition, scope)) ? node.yes : node.no, scope);
      default:
        return this.value(node.body, new Map([...scope, [node.name, this.value(node.value, scope)]]));
    }
  }

  #call({ callee, args }: ScriptNode & { readonly kind: 'call' }, scope: ScriptScope): unknown {
    const called = this.value(callee, scope);
    if (typeof called !== 'function') throw new ScriptError(`${nameOf(callee)} is not a function`);
    return (called as ScriptFunction)(...args.map((one) => this.value(one, scope)));
  }

  #unary({ operator, operand }: ScriptNode & { readonly kind: 'unary' }, scope: ScriptScope): unknown {
    // `typeof` is the only operator that accepts an unknown variable.
    if (operator === 'typeof' && operand.kind === 'name' && !scope.has(operand.name)) return 'undefined';
    const value = this.value(operand, scope);
    switch (operator) {
      case '!':
        return !isTruthyInScript(value);
      case '-':
        return -toNumber(value);
      case '+':
        return toNumber(value);
      default:
        return typeName(value);
    }
  }

  #binary({ operator, left, right }: ScriptNode & { readonly kind: 'binary' }, scope: ScriptScope): unknown {
    const one = this.value(left, scope);
    if (operator === '&&') return isTruthyInScript(one) ? this.value(right, scope) : one;
    if (operator === '||') return isTruthyInScript(one) ? one : this.value(right, scope);
    return applyBinaryOperator(operator, one, this.value(right, scope));
  }
}

function applyBinaryOperator(operator: Exclude<BinarySign, '&&' | '||'>, one: unknown, other: unknown): unknown {
  switch (operator) {
    case '==':
      return isLooselyEqual(one, other);
    case '!=':
      return !isLooselyEqual(one, other);
    case '===':
      return one === other;
    case '!==':
      return one !== other;
    case '+':
      return addValues(toPrimitive(one), toPrimitive(other));
    case '-':
      return toNumber(one) - toNumber(other);
    case '*':
      return toNumber(one) * toNumber(other);
    case '/':
      return toNumber(one) / toNumber(other);
    case '%':
      return toNumber(one) % toNumber(other);
    default:
      return isInOrder(operator, toPrimitive(one), toPrimitive(other));
  }
}

function addValues(one: unknown, other: unknown): unknown {
  const isText = typeof one === 'string' || typeof other === 'string';
  return isText ? boundText(toText(one) + toText(other)) : toNumber(one) + toNumber(other);
}

function isInOrder(operator: '<' | '<=' | '>' | '>=', one: unknown, other: unknown): boolean {
  const isTexts = typeof one === 'string' && typeof other === 'string';
  const [a, b] = isTexts ? [one, other] : [toNumber(one), toNumber(other)];
  switch (operator) {
    case '<':
      return a < b;
    case '<=':
      return a <= b;
    case '>':
      return a > b;
    default:
      return a >= b;
  }
}

function dateMs(time: unknown): number {
  const ms = toNumber(time);
  if (!Number.isFinite(ms) || Math.abs(ms) > DATE_MS_MAX) throw new ScriptError('expected a valid time as a number');
  return ms;
}

const DATE_MS_MAX = 8.64e15;

function nameOf(node: ScriptNode): string {
  if (node.kind === 'name') return node.name;
  return node.kind === 'member' && node.key.kind === 'literal' ? String(node.key.value) : 'this';
}

const utcDate = (seconds: unknown): Date => new Date(dateMs(toNumber(seconds) * 1000));

/** The built-in variables and functions of every script. Built-in objects have only the members listed here. */
const FIXED_NAMES: readonly (readonly [string, unknown])[] = [
  ['sensu', {}],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['hour', (seconds: unknown) => utcDate(seconds).getUTCHours()],
  ['weekday', (seconds: unknown) => utcDate(seconds).getUTCDay()],
  [
    'parseInt',
    (text: unknown, base: unknown) => Number.parseInt(toText(text), base === undefined ? 10 : toNumber(base)),
  ],
  ['parseFloat', (text: unknown) => Number.parseFloat(toText(text))],
  ['isNaN', (value: unknown) => Number.isNaN(toNumber(value))],
  ['Number', (value: unknown) => toNumber(value)],
  ['String', (value: unknown) => toText(value)],
  ['Boolean', (value: unknown) => isTruthyInScript(value)],
  ['JSON', { stringify: (value: unknown) => jsonOf(value) }],
  ['Object', { keys: (value: unknown) => keysOf(value) }],
  ['Array', { isArray: (value: unknown) => Array.isArray(value) }],
  [
    'Math',
    {
      abs: (value: unknown) => Math.abs(toNumber(value)),
      ceil: (value: unknown) => Math.ceil(toNumber(value)),
      floor: (value: unknown) => Math.floor(toNumber(value)),
      round: (value: unknown) => Math.round(toNumber(value)),
      max: (...values: readonly unknown[]) => Math.max(...values.map(toNumber)),
      min: (...values: readonly unknown[]) => Math.min(...values.map(toNumber)),
    },
  ],
];

/** The built-in names that a script can use in addition to `event` or `entity`. */
export const SCRIPT_NAMES: ReadonlySet<string> = new Set([...FIXED_NAMES.map(([name]) => name), 'Date']);

function jsonOf(value: unknown): unknown {
  const text = JSON.stringify(value) as string | undefined;
  return text === undefined ? undefined : boundText(text);
}

function keysOf(value: unknown): string[] {
  if (typeof value !== 'object' || value === null) throw new ScriptError('Object.keys needs an object');
  return Object.keys(value);
}
