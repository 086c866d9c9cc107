import type { EventRow } from '../schemas/feed.ts';
import { DURATION_HINT, parseDuration } from './duration.ts';
import { compileGlob } from './glob.ts';
import { severityOf, type Severity } from './severity.ts';

/** What a search can compare, and with which operators and values. */

/** Those with two characters first, so that the first one that fits is the right one. */
export const OPERATORS = ['!=', '>=', '<=', '=', '>', '<', '~'] as const;
export type Operator = (typeof OPERATORS)[number];

export type FlagName = 'silenced' | 'flapping';

/** `field operator value`, checked. */
export interface Comparison {
  readonly kind: 'comparison';
  readonly field: string;
  readonly operator: Operator;
  /** The value as it was typed. */
  readonly text: string;
  readonly matches: (row: EventRow, nowSeconds: number) => boolean;
}

type Matches = Comparison['matches'];

interface Field {
  readonly name: string;
  /** What may stand after the operator. */
  readonly hint: string;
  /** @returns what to say to somebody whose operator or value this field cannot take */
  readonly compile: (operator: Operator, value: string) => Matches | string;
}

const FIELDS: ReadonlyMap<string, Field> = new Map(
  [
    textField('client', (row) => row.client),
    textField('check', (row) => row.check),
    textField('output', (row) => row.output),
    statusField(),
    countField('occurrences', (row) => row.occurrences),
    choiceField('action', ['create', 'flapping', 'resolve'], (row) => row.action),
    flagField('silenced'),
    flagField('flapping'),
    listField('silenced_by', (row) => row.silenced_by),
    timeField('age', 'since it entered its status', (row) => row.since),
    timeField('last', 'since its last result', (row) => row.last),
    textField('backend', (row) => row.backend ?? ''),
  ].map((field) => [field.name, field]),
);

export const FIELD_NAMES: readonly string[] = [...FIELDS.keys()];

export function fieldNamed(name: string): Field | undefined {
  return FIELDS.get(name);
}

/** @returns the comparison, or what is wrong with it and what to type instead */
export function readValue(field: Field, operator: Operator, value: string): Comparison | string {
  const matches = field.compile(operator, value);
  if (typeof matches === 'string') return matches;
  return { kind: 'comparison', field: field.name, operator, text: value, matches };
}

export function matchesFlag(name: FlagName, row: EventRow): boolean {
  return name === 'silenced' ? row.silenced_by.length > 0 : row.action === 'flapping';
}

function textField(name: string, read: (row: EventRow) => string): Field {
  const hint = `type a text, or with ~ a pattern with * and ?, as in ${name}~web-*`;
  return {
    name,
    hint,
    compile: (operator, value) => {
      const test = textTest(operator, value);
      if (test === undefined) return `${name} is a text and has no order: use ${name}=, ${name}!= or ${name}~`;
      return operator === '!=' ? (row) => !test(read(row)) : (row) => test(read(row));
    },
  };
}

function listField(name: string, read: (row: EventRow) => readonly string[]): Field {
  const hint = `type the id of a silenced entry, or with ~ a pattern, as in ${name}~client:*`;
  return {
    name,
    hint,
    compile: (operator, value) => {
      const test = textTest(operator, value);
      if (test === undefined) return `${name} holds texts and has no order: use ${name}=, ${name}!= or ${name}~`;
      return operator === '!=' ? (row) => !read(row).some(test) : (row) => read(row).some(test);
    },
  };
}

/**
 * Whether a text equals the value or, with `~`, matches it: as a whole when it has `*` or `?`, otherwise anywhere.
 * Letter case never counts. `!=` is left to the caller: for a list it means that none equals.
 */
function textTest(operator: Operator, value: string): ((text: string) => boolean) | undefined {
  const wanted = value.toLowerCase();
  switch (operator) {
    case '=':
    case '!=':
      return (text) => text.toLowerCase() === wanted;
    case '~': {
      if (!/[*?]/.test(wanted)) return (text) => text.toLowerCase().includes(wanted);
      const glob = compileGlob(wanted);
      return (text) => glob(text.toLowerCase());
    }
    default:
      return undefined;
  }
}

/** Unknown is above critical, so that `status>=warn` is everything that is not OK. */
const SEVERITY_RANK: Readonly<Record<Severity, number>> = { ok: 0, warning: 1, critical: 2, unknown: 3 };

const SEVERITY_NAMES: ReadonlyMap<string, Severity> = new Map([
  ['ok', 'ok'],
  ['warn', 'warning'],
  ['warning', 'warning'],
  ['crit', 'critical'],
  ['critical', 'critical'],
  ['unkn', 'unknown'],
  ['unknown', 'unknown'],
]);

function statusField(): Field {
  const hint = 'use ok, warn, crit, unknown or a number';
  return {
    name: 'status',
    hint,
    compile: (operator, value) => {
      if (operator === '~') return 'status has no patterns: use status=, status!=, status>= and the like';
      const severity = SEVERITY_NAMES.get(value.toLowerCase());
      if (severity !== undefined) {
        const compare = numberTest(operator, SEVERITY_RANK[severity]);
        return (row) => compare(SEVERITY_RANK[severityOf(row.status)]);
      }
      if (!/^-?\d{1,10}$/.test(value)) return `"${value}" is not a status: ${hint}`;
      const compare = numberTest(operator, Number(value));
      return (row) => compare(row.status);
    },
  };
}

function countField(name: string, read: (row: EventRow) => number): Field {
  const hint = `use a whole number, as in ${name}>3`;
  return {
    name,
    hint,
    compile: (operator, value) => {
      if (operator === '~') return `${name} has no patterns: use ${name}=, ${name}>= and the like`;
      if (!/^\d{1,15}$/.test(value)) return `"${value}" is not a whole number: ${hint}`;
      const compare = numberTest(operator, Number(value));
      return (row) => compare(read(row));
    },
  };
}

function timeField(name: string, meaning: string, read: (row: EventRow) => number): Field {
  const hint = `use a duration, as in ${name}>1h`;
  return {
    name,
    hint,
    compile: (operator, value) => {
      if (operator === '=' || operator === '!=' || operator === '~') {
        return `${name} is the time ${meaning} and changes every second: use ${name}> or ${name}<`;
      }
      const seconds = parseDuration(value.toLowerCase());
      if (seconds === undefined) return `"${value}" is not a duration: ${DURATION_HINT}`;
      const compare = numberTest(operator, seconds);
      return (row, nowSeconds) => compare(nowSeconds - read(row));
    },
  };
}

function choiceField(name: string, choices: readonly string[], read: (row: EventRow) => string): Field {
  const hint = `use ${choices.join(', ')}`;
  return {
    name,
    hint,
    compile: (operator, value) => {
      if (operator !== '=' && operator !== '!=') return `${name} is one of a few: use ${name}= or ${name}!=`;
      const wanted = value.toLowerCase();
      if (!choices.includes(wanted)) return `"${value}" is no ${name}: ${hint}`;
      return operator === '=' ? (row) => read(row) === wanted : (row) => read(row) !== wanted;
    },
  };
}

function flagField(name: FlagName): Field {
  const hint = `use true or false, or just ${name} or !${name}`;
  return {
    name,
    hint,
    compile: (operator, value) => {
      if (operator !== '=' && operator !== '!=') return `${name} is yes or no: ${hint}`;
      const wanted = /^(?:true|yes)$/i.test(value) ? true : /^(?:false|no)$/i.test(value) ? false : undefined;
      if (wanted === undefined) return `"${value}" is neither true nor false: ${hint}`;
      return (row) => (matchesFlag(name, row) === wanted) === (operator === '=');
    },
  };
}

const ORDER: Readonly<Record<Exclude<Operator, '~'>, (value: number, wanted: number) => boolean>> = {
  '=': (value, wanted) => value === wanted,
  '!=': (value, wanted) => value !== wanted,
  '>': (value, wanted) => value > wanted,
  '>=': (value, wanted) => value >= wanted,
  '<': (value, wanted) => value < wanted,
  '<=': (value, wanted) => value <= wanted,
};

function numberTest(operator: Exclude<Operator, '~'>, wanted: number): (value: number) => boolean {
  const holds = ORDER[operator];
  return (value) => holds(value, wanted);
}
