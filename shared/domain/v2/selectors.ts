import { isAttributes, type Attributes } from '../attributes.ts';

/** A parsed `fieldSelector` or `labelSelector` of a v2 request: conditions that must all be true. */
export interface V2Selector {
  readonly kind: 'selector';
  readonly conditions: readonly SelectorCondition[];
}

export interface SelectorCondition {
  /** A field such as `check.name`, or the name of a label. */
  readonly name: string;
  readonly operator: 'in' | 'notin' | 'matches' | 'has' | 'lacks';
  readonly values: readonly string[];
}

export interface SelectorProblem {
  readonly kind: 'problem';
  readonly message: string;
}

/** Maximum length of a selector, in UTF-16 units. */
const LENGTH_MAX = 4096;
const CONDITIONS_MAX = 50;

const SELECTOR_TOKEN = /\s*(?:(&&|==|!=|[[\],])|"([^"]*)"|'([^']*)'|([^\s[\],&=!"']+))/y;

interface SelectorToken {
  readonly kind: 'sign' | 'quoted' | 'word';
  readonly text: string;
}

/**
 * Parses a v2 selector: conditions that are joined with `&&`. A condition is `name == value`, `name != value`, `name in
 * [a, b]`, `name notin [a, b]`, `name matches text` (a substring search), or `value in name` if the field is a list.
 * Never throws, and takes linear time.
 */
export function parseV2Selector(text: string): V2Selector | SelectorProblem {
  if (text.length > LENGTH_MAX) {
    return { kind: 'problem', message: `is longer than ${String(LENGTH_MAX)} characters: shorten the selector` };
  }
  const parts = partsOf(text);
  if (!Array.isArray(parts)) return parts;
  const conditions: SelectorCondition[] = [];
  let remaining: readonly SelectorToken[] = parts;
  while (true) {
    const read = readCondition(remaining);
    if (!('condition' in read)) return read;
    conditions.push(read.condition);
    const [joint, ...others] = read.remaining;
    if (joint === undefined) return { kind: 'selector', conditions };
    if (!isSign(joint, '&&')) return problemAtToken(joint, 'join conditions with &&');
    if (conditions.length === CONDITIONS_MAX) {
      return { kind: 'problem', message: `has more than ${String(CONDITIONS_MAX)} conditions: shorten the selector` };
    }
    remaining = others;
  }
}

/**
 * Whether an object meets all conditions of a selector.
 *
 * @param valueOf callback that returns the value of a field or label; undefined if it is missing
 */
export function isSelected({ conditions }: V2Selector, valueOf: (name: string) => unknown): boolean {
  return conditions.every((condition) => isConditionTrue(condition, valueOf(condition.name)));
}

/**
 * Returns the value of a field by its path, such as `check.name` or `event.entity.labels.region`; undefined if there is
 * none. If an object does not have an attribute, it is read from the metadata of the object.
 */
export function readFieldPath(record: Attributes, path: string): unknown {
  let value: unknown = record;
  for (const part of path.split('.')) {
    if (!isAttributes(value)) return undefined;
    if (Object.hasOwn(value, part)) {
      value = value[part];
      continue;
    }
    const { metadata } = value;
    if (!isAttributes(metadata) || !Object.hasOwn(metadata, part)) return undefined;
    value = metadata[part];
  }
  return value;
}

function isConditionTrue({ operator, values }: SelectorCondition, actual: unknown): boolean {
  switch (operator) {
    case 'in':
      return actual !== undefined && values.includes(textOf(actual));
    case 'notin':
      return actual === undefined || !values.includes(textOf(actual));
    case 'matches':
      return actual !== undefined && values.some((value) => textOf(actual).includes(value));
    case 'has':
      return values.some((value) => itemsOf(actual).includes(value));
    default:
      return !values.some((value) => itemsOf(actual).includes(value));
  }
}

function textOf(value: unknown): string {
  if (value === null || value === undefined) return '';
  if (Array.isArray(value)) return value.map(textOf).join(',');
  return typeof value === 'string' ? value : JSON.stringify(value);
}

function itemsOf(value: unknown): readonly string[] {
  if (value === null || value === undefined) return [];
  return Array.isArray(value) ? value.map(textOf) : textOf(value).split(',');
}

function partsOf(text: string): SelectorToken[] | SelectorProblem {
  const parts: SelectorToken[] = [];
  const source = text.trimEnd();
  SELECTOR_TOKEN.lastIndex = 0;
  while (SELECTOR_TOKEN.lastIndex < source.length) {
    const start = SELECTOR_TOKEN.lastIndex;
    const match = SELECTOR_TOKEN.exec(source);
    if (match === null)
      return { kind: 'problem', message: `is invalid starting at "${source.slice(start, start + 20)}"` };
    const [, sign, double, single, word] = match;
    const quoted = double ?? single;
    if (sign !== undefined) parts.push({ kind: 'sign', text: sign });
    else if (quoted !== undefined) parts.push({ kind: 'quoted', text: quoted });
    else parts.push({ kind: 'word', text: word ?? '' });
  }
  return parts;
}

interface ReadCondition {
  readonly condition: SelectorCondition;
  readonly remaining: readonly SelectorToken[];
}

function readCondition([left, operator, ...remaining]: readonly SelectorToken[]): ReadCondition | SelectorProblem {
  if (left === undefined) return { kind: 'problem', message: 'lacks a condition: write name == value' };
  if (left.kind === 'sign') return problemAtToken(left, 'a condition begins with a name, as in name == value');
  switch (operator?.text) {
    case '==':
    case '!=':
      return readValue(left, operator.text === '==' ? 'in' : 'notin', remaining);
    case 'matches':
      return readValue(left, 'matches', remaining);
    case 'in':
    case 'notin':
      return readMembership(left, operator.text, remaining);
    default:
      return { kind: 'problem', message: `needs one of ==, !=, in, notin, matches after "${left.text}"` };
  }
}

function readValue(
  { text: name }: SelectorToken,
  operator: SelectorCondition['operator'],
  [value, ...remaining]: readonly SelectorToken[],
): ReadCondition | SelectorProblem {
  if (value === undefined || value.kind === 'sign') {
    return { kind: 'problem', message: `has no value for "${name}": write the value in quotes` };
  }
  return { condition: { name, operator, values: [value.text] }, remaining };
}

function readMembership(
  left: SelectorToken,
  operator: 'in' | 'notin',
  [next, ...remaining]: readonly SelectorToken[],
): ReadCondition | SelectorProblem {
  if (next === undefined) return { kind: 'problem', message: `needs a list after "${operator}", for example [a, b]` };
  if (next.kind !== 'sign') {
    // In this form the value comes before the name of the field: `linux in entity.subscriptions`.
    const condition = { name: next.text, operator: operator === 'in' ? 'has' : 'lacks', values: [left.text] } as const;
    return { condition, remaining };
  }
  if (next.text !== '[') return problemAtToken(next, 'a list is written [a, b]');
  const end = remaining.findIndex((part) => isSign(part, ']'));
  if (end === -1) return { kind: 'problem', message: 'has a list without a closing "]"' };
  const items = remaining.slice(0, end);
  const isList = items.every((part, at) => (at % 2 === 0 ? part.kind !== 'sign' : isSign(part, ',')));
  if (!isList || items.length % 2 === 0) return { kind: 'problem', message: 'has an invalid list: write [a, b]' };
  const values = items.filter(({ kind }) => kind !== 'sign').map(({ text }) => text);
  return { condition: { name: left.text, operator, values }, remaining: remaining.slice(end + 1) };
}

function isSign(part: SelectorToken, sign: string): boolean {
  return part.kind === 'sign' && part.text === sign;
}

function problemAtToken({ text }: SelectorToken, remedy: string): SelectorProblem {
  return { kind: 'problem', message: `is invalid at "${text}": ${remedy}` };
}
