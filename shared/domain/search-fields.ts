import { DURATION_HINT, parseDuration } from '../schemas/parse-duration.ts';
import { compileGlob } from './glob.ts';
import { parseSeverity, severityOf, STATUS_BY_SEVERITY } from './severity.ts';

/*
 * Types of search fields (text, count, duration and so on), each with its operators and values. A search language is a
 * table of such fields, as in `search.ts` and `list-searches.ts`.
 */

/** Comparison operators of searches. Those with two characters come first, so that `>=` is not parsed as `>`. */
export const SEARCH_OPERATORS = ['!=', '>=', '<=', '=', '>', '<', '~'] as const;
export type SearchOperator = (typeof SEARCH_OPERATORS)[number];

/** A valid comparison in a search: field, operator and value, as in `status>=warn`. */
export interface Comparison<Row> {
  readonly kind: 'comparison';
  readonly field: string;
  readonly operator: SearchOperator;
  /** The value as it was typed. */
  readonly text: string;
  /** Whether the result for an unchanged row can change as time passes. */
  readonly usesTime: boolean;
  readonly matches: Matches<Row>;
}

type Matches<Row> = (row: Row, nowSeconds: number) => boolean;

/** A search field, such as `status`: it reads a value from each row and compares it. */
export interface Field<Row> {
  readonly name: string;
  /** Hint about the values that are valid after the operator. */
  readonly hint: string;
  /** The most common operator of the field. */
  readonly operator: SearchOperator;
  /** Values to suggest to the user; other values can be valid too. */
  readonly values: readonly string[];
  /** Whether the value of the field depends on the current time; default false. */
  readonly usesTime?: true;
  /** Whether it is another name of a field. It is accepted like that, but not offered to the user; default false. */
  readonly isAlias?: true;
  /** Whether it compares an attribute that any site can define, and not a column of the list; default false. */
  readonly isAttribute?: true;
  /** Returns the reason why this name cannot be searched for, with what to type instead; undefined if it can. */
  readonly rejection?: () => string | undefined;
  /**
   * Whether a row has the flag. Only flags have it: fields that can be searched by their name alone, as in `silenced`.
   */
  readonly flag?: (row: Row) => boolean;
  /**
   * Compiles a comparison of the field with a value.
   *
   * @returns an error message if the field does not support the operator or value
   */
  readonly compile: (operator: SearchOperator, value: string) => Matches<Row> | string;
}

/**
 * Compiles the comparison of a field with a value.
 *
 * @returns the comparison, or an error message with what to type instead
 */
export function compileComparison<Row>(
  field: Field<Row>,
  operator: SearchOperator,
  value: string,
): Comparison<Row> | string {
  const matches = field.compile(operator, value);
  if (typeof matches === 'string') return matches;
  const usesTime = field.usesTime ?? false;
  return { kind: 'comparison', field: field.name, operator, text: value, usesTime, matches };
}

/** Converts a search field for rows to one for items that contain such a row. */
export function fieldForItems<Row, Item>(
  { flag, compile, ...field }: Field<Row>,
  rowOf: (item: Item) => Row,
): Field<Item> {
  return {
    ...field,
    ...(flag !== undefined && { flag: (item: Item) => flag(rowOf(item)) }),
    compile: (operator, value) => {
      const matches = compile(operator, value);
      return typeof matches === 'string' ? matches : (item, nowSeconds) => matches(rowOf(item), nowSeconds);
    },
  };
}

export function textField<Row>(name: string, read: (row: Row) => string): Field<Row> {
  const hint = `type a text, or with ~ a pattern with * and ?, as in ${name}~web-*`;
  return {
    name,
    hint,
    operator: '~',
    values: [],
    compile: (operator, value) => {
      if (!isTextOperator(operator))
        return `${name} is a text and cannot be compared by order: use ${name}=, ${name}!= or ${name}~`;
      const test = textMatcher(operator, value);
      return operator === '!=' ? (row) => !test(read(row)) : (row) => test(read(row));
    },
  };
}

/**
 * Returns a search field whose value is a list of texts.
 *
 * @param what noun phrase for one of the texts, for the hint
 * @param example pattern that matches some of the texts, for the hint
 */
export function listField<Row>(
  name: string,
  what: string,
  read: (row: Row) => readonly string[],
  example = 'client:*',
): Field<Row> {
  const hint = `type ${what}, or with ~ a pattern, as in ${name}~${example}`;
  return {
    name,
    hint,
    operator: '~',
    values: [],
    compile: (operator, value) => {
      if (!isTextOperator(operator))
        return `${name} contains texts and cannot be compared by order: use ${name}=, ${name}!= or ${name}~`;
      const test = textMatcher(operator, value);
      return operator === '!=' ? (row) => !read(row).some(test) : (row) => read(row).some(test);
    },
  };
}

/**
 * Returns a search field for an attribute of a client or check, as in `rack=r20`. Its value is a list of texts, which
 * can be compared as numbers too.
 */
export function attributeField<Row>(name: string, read: (row: Row) => readonly string[]): Field<Row> {
  return {
    name,
    hint: `type a text, or with ~ a pattern, as in ${name}~prod*`,
    operator: '=',
    values: [],
    isAttribute: true,
    compile: (operator, value) => {
      if (isTextOperator(operator)) {
        const test = textMatcher(operator, value);
        return operator === '!=' ? (row) => !read(row).some(test) : (row) => read(row).some(test);
      }
      const operand = numberOf(value);
      if (operand === undefined) return `${name}${operator} compares numbers: use a number, as in ${name}${operator}8`;
      const compare = numberTest(operator, operand);
      return (row) =>
        read(row).some((text) => {
          const number = numberOf(text);
          return number !== undefined && compare(number);
        });
    },
  };
}

/** Returns the number that a text contains and nothing else; undefined if it is not a decimal number. */
export function numberOf(text: string): number | undefined {
  return /^-?\d{1,15}(?:\.\d{1,15})?$/.test(text) ? Number(text) : undefined;
}

type TextOperator = '=' | '!=' | '~';

function isTextOperator(operator: SearchOperator): operator is TextOperator {
  return operator === '=' || operator === '!=' || operator === '~';
}

/**
 * Returns a function that compares a text with the value and ignores case. For `=` and `!=` it tests for equality, and
 * the caller negates the result for `!=`. For `~`, a value with `*` or `?` is a pattern for the whole text, and any
 * other value is searched for anywhere in the text.
 */
function textMatcher(operator: TextOperator, value: string): (text: string) => boolean {
  const lowerCaseValue = value.toLowerCase();
  if (operator !== '~') {
    // Lower-casing never shortens a text. So a text that is longer than the value is rejected without it.
    return (text) =>
      text === lowerCaseValue || (text.length <= lowerCaseValue.length && text.toLowerCase() === lowerCaseValue);
  }
  if (!/[*?]/.test(lowerCaseValue)) return (text) => text.toLowerCase().includes(lowerCaseValue);
  const glob = compileGlob(lowerCaseValue);
  return (text) => glob(text.toLowerCase());
}

/** @param read callback that returns the status of a row; if it is undefined, no comparison matches the row */
export function statusField<Row>(read: (row: Row) => number | undefined): Field<Row> {
  const hint = 'use ok, warn, crit, unknown or a number';
  return {
    name: 'status',
    hint,
    operator: '>=',
    values: ['warn', 'crit', 'unknown', 'ok'],
    compile: (operator, value) => {
      if (operator === '~') return 'status does not support patterns: use status=, status!=, status>= and the like';
      const severity = parseSeverity(value);
      if (severity !== undefined) {
        const compare = numberTest(operator, STATUS_BY_SEVERITY[severity]);
        return whenDefined(read, (status) => compare(STATUS_BY_SEVERITY[severityOf(status)]));
      }
      if (!/^-?\d{1,10}$/.test(value)) return `"${value}" is not a status: ${hint}`;
      return whenDefined(read, numberTest(operator, Number(value)));
    },
  };
}

/** @param read callback that returns the count of a row; if it is undefined, no comparison matches the row */
export function countField<Row>(name: string, read: (row: Row) => number | undefined): Field<Row> {
  const hint = `use a whole number, as in ${name}>3`;
  return {
    name,
    hint,
    operator: '>',
    values: [],
    compile: (operator, value) => {
      if (operator === '~') return `${name} does not support patterns: use ${name}=, ${name}>= and the like`;
      if (!/^\d{1,15}$/.test(value)) return `"${value}" is not a whole number: ${hint}`;
      return whenDefined(read, numberTest(operator, Number(value)));
    },
  };
}

/**
 * Returns a search field for the time that has passed since a point in time, as in `age>1h`.
 *
 * @param read callback that returns that point in epoch seconds; if it is undefined, no comparison matches the row
 */
export function timeField<Row>(name: string, meaning: string, read: (row: Row) => number | undefined): Field<Row> {
  return relativeTimeField(name, meaning, (row, nowSeconds) => {
    const at = read(row);
    return at === undefined ? undefined : nowSeconds - at;
  });
}

/**
 * Returns a search field for a point in time, as in `since>=2026-11-28T20:14:00Z`. Unlike an age, its value never
 * changes as time passes.
 *
 * @param read callback that returns that point in epoch seconds; if it is undefined, no comparison matches the row
 */
export function momentField<Row>(name: string, read: (row: Row) => number | undefined): Field<Row> {
  const hint = `use a date and time with a zone, as in ${name}>=2026-11-28T20:14:00Z`;
  return {
    name,
    hint,
    operator: '>=',
    values: [],
    compile: (operator, value) => {
      if (operator === '~') return `${name} does not support patterns: use ${name}>= and ${name}<=`;
      const isMoment = /^\d{4}-\d\d-\d\dT\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:Z|[+-]\d\d:\d\d)$/i.test(value);
      const atMs = isMoment ? Date.parse(value) : NaN;
      if (Number.isNaN(atMs)) return `"${value}" is not a date and time: ${hint}`;
      return whenDefined(read, numberTest(operator, atMs / 1000));
    },
  };
}

/**
 * Returns a search field for the time until a point in time, as in `left<1h`.
 *
 * @param read callback that returns that point in epoch seconds; if it is undefined, no comparison matches the row
 */
export function remainingField<Row>(name: string, meaning: string, read: (row: Row) => number | undefined): Field<Row> {
  return relativeTimeField(name, meaning, (row, nowSeconds) => {
    const at = read(row);
    return at === undefined ? undefined : at - nowSeconds;
  });
}

function relativeTimeField<Row>(
  name: string,
  meaning: string,
  read: (row: Row, nowSeconds: number) => number | undefined,
): Field<Row> {
  const hint = `use a duration, as in ${name}>1h`;
  return {
    name,
    hint,
    operator: '>',
    values: ['5m', '1h', '1d'],
    usesTime: true,
    compile: (operator, value) => {
      if (operator === '=' || operator === '!=' || operator === '~') {
        return `${name} is the time ${meaning} and changes every second: use ${name}> or ${name}<`;
      }
      const seconds = parseDuration(value.toLowerCase());
      if (seconds === undefined) return `"${value}" is not a duration: ${DURATION_HINT}`;
      return whenDefined(read, numberTest(operator, seconds));
    },
  };
}

/**
 * Returns a search field for a fixed duration, as in `interval>=5m`.
 *
 * @param read callback that returns seconds; if it is undefined, no comparison matches the row
 */
export function durationField<Row>(name: string, read: (row: Row) => number | undefined): Field<Row> {
  const hint = `use a duration, as in ${name}>=5m`;
  return {
    name,
    hint,
    operator: '>=',
    values: ['30s', '1m', '5m', '1h'],
    compile: (operator, value) => {
      if (operator === '~') return `${name} does not support patterns: use ${name}=, ${name}>= and the like`;
      const seconds = parseDuration(value.toLowerCase());
      if (seconds === undefined) return `"${value}" is not a duration: ${DURATION_HINT}`;
      return whenDefined(read, numberTest(operator, seconds));
    },
  };
}

export function choiceField<Row>(
  name: string,
  choices: readonly string[],
  read: (row: Row, nowSeconds: number) => string,
): Field<Row> {
  const hint = `use ${choices.join(', ')}`;
  return {
    name,
    hint,
    operator: '=',
    values: choices,
    compile: (operator, value) => {
      if (operator !== '=' && operator !== '!=') return `${name} has fixed values: use ${name}= or ${name}!=`;
      const lowerCaseValue = value.toLowerCase();
      if (!choices.includes(lowerCaseValue)) return `"${value}" is not a valid ${name}: ${hint}`;
      return (row, nowSeconds) => (read(row, nowSeconds) === lowerCaseValue) === (operator === '=');
    },
  };
}

export function flagField<Row>(name: string, read: (row: Row) => boolean): Field<Row> {
  const hint = `use true or false, or just ${name} or !${name}`;
  return {
    name,
    hint,
    operator: '=',
    values: ['true', 'false'],
    flag: read,
    compile: (operator, value) => {
      if (operator !== '=' && operator !== '!=') return `${name} is a boolean: ${hint}`;
      const flag = /^(?:true|yes)$/i.test(value) ? true : /^(?:false|no)$/i.test(value) ? false : undefined;
      if (flag === undefined) return `"${value}" is neither true nor false: ${hint}`;
      return (row) => (read(row) === flag) === (operator === '=');
    },
  };
}

const ORDER_TESTS: Readonly<Record<Exclude<SearchOperator, '~'>, (value: number, operand: number) => boolean>> = {
  '=': (value, operand) => value === operand,
  '!=': (value, operand) => value !== operand,
  '>': (value, operand) => value > operand,
  '>=': (value, operand) => value >= operand,
  '<': (value, operand) => value < operand,
  '<=': (value, operand) => value <= operand,
};

function numberTest(operator: Exclude<SearchOperator, '~'>, operand: number): (value: number) => boolean {
  const holds = ORDER_TESTS[operator];
  return (value) => holds(value, operand);
}

/** Returns a test that reads a value from a row and compares it. The test is false if the value is undefined. */
function whenDefined<Row>(
  read: (row: Row, nowSeconds: number) => number | undefined,
  compare: (value: number) => boolean,
): (row: Row, nowSeconds: number) => boolean {
  return (row, nowSeconds) => {
    const value = read(row, nowSeconds);
    return value !== undefined && compare(value);
  };
}
