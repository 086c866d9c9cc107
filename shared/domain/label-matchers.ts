import type { LabelSet } from '../schemas/alert.ts';
import { Pattern } from './expression/pattern.ts';
import { parsed, type ExpressionProblem } from './expression/syntax-problem.ts';

/** One condition on a label. A label that is not there has the empty value. */
export interface LabelMatcher {
  readonly name: string;
  readonly value: string;
  readonly isRegex: boolean;
  readonly isEqual: boolean;
}

/** What a text was meant to be, or what is wrong with it. */
export type ParsedMatcher = LabelMatcher | { readonly problem: string };

const MATCHER = /^\s*([^\s=!~"{},]+)\s*(=~|!~|!=|=)\s*(.*?)\s*$/su;

/** `alertname="Down"`, `job=~node.*`, `severity!=info`: with or without quotes. */
export function parseMatcher(text: string): ParsedMatcher {
  const [, name = '', sign = '', written = ''] = MATCHER.exec(text) ?? [];
  if (name === '') return { problem: `must be like alertname="Down", not ${JSON.stringify(text.slice(0, 200))}` };
  const value = unquoted(written);
  if (value === undefined) return { problem: `the value of ${name} does not end with the quote it begins with` };
  return { name, value, isRegex: sign.endsWith('~'), isEqual: sign.startsWith('=') };
}

function unquoted(text: string): string | undefined {
  if (!text.startsWith('"')) return text;
  if (!/^"(?:[^"\\]|\\.)*"$/s.test(text)) return undefined;
  return text.slice(1, -1).replaceAll(/\\(.)/gs, (_sequence, sign: string) => (sign === 'n' ? '\n' : sign));
}

/** Whether labels are wanted, or why the matchers cannot be read. */
export type LabelFilter = ((labels: LabelSet) => boolean) | { readonly problem: string };

/** All of the matchers hold for the labels. A pattern is for the whole value; one that is too much work does not match. */
export function labelFilter(matchers: readonly LabelMatcher[]): LabelFilter {
  const conditions: ((labels: LabelSet) => boolean)[] = [];
  for (const { name, value, isRegex, isEqual } of matchers) {
    const matches = isRegex ? wholly(value) : (text: string): boolean => text === value;
    if (typeof matches !== 'function') return { problem: `the pattern of ${name}: ${matches.message}` };
    conditions.push((labels) => matches(Object.hasOwn(labels, name) ? (labels[name] ?? '') : '') === isEqual);
  }
  return (labels) => conditions.every((holds) => holds(labels));
}

function wholly(source: string): ((text: string) => boolean) | ExpressionProblem {
  const pattern = parsed(() => new Pattern(`^(?:${source})$`, { ignoresCase: false, offset: 0 }));
  return pattern instanceof Pattern ? (text) => pattern.isFoundIn(text) === true : pattern;
}
