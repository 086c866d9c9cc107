import { labelAttribute, labelReader, ORIGIN_ATTRIBUTE, type LabelReader, type LabelSubject } from './alert-labels.ts';
import { compileMatchers, type CompiledMatcher, type LabelMatcher } from './label-matchers.ts';
import { searchProblem, type SearchProblem } from './search-syntax.ts';

/*
 * Selectors that are a set of label matchers: `{alertname="Down",instance=~"web-.*"}`. As in Alertmanager, such a
 * selector matches an event if its labels meet all matchers (prometheus 2.2).
 */

/** A selector that is a set of label matchers, such as `{alertname="Down"}`; see `Selector`. */
export interface MatcherSelector {
  readonly kind: 'selector';
  readonly text: string;
  readonly attributes: { readonly client: readonly string[]; readonly check: readonly string[] };
  readonly matchers: readonly CompiledMatcher[];
  /** The cost of one evaluation, see `Selector.cost`. */
  readonly cost: number;
  /** Always empty, because sets of matchers have an index of their own. */
  readonly keys: readonly never[];
  readonly matches: (subject: LabelSubject) => boolean;
  /**
   * Whether the labels of an event meet all matchers. Unlike `matches`, it gets the labels from the caller, who can
   * cache them for many selectors.
   */
  readonly covers: (labels: LabelReader) => boolean;
  /** Always true, because the client alone does not decide which labels an event has. */
  readonly canMatchClient: () => boolean;
  readonly canMatchWithoutAttributes: () => boolean;
}

/** Maximum length of a set of matchers as text; it is also enforced for stored silences. */
const MATCHERS_LENGTH_MAX = 16_384;
const MATCHERS_MAX = 100;

/** Whether the text of a selector is a set of label matchers, which begins with a brace. */
export function isMatchersText(text: string): boolean {
  return text.startsWith('{');
}

/** Formats matchers as a text that `parseMatchers` can parse. */
export function matchersText(matchers: readonly LabelMatcher[]): string {
  return `{${matchers.map(matcherText).join(',')}}`;
}

function matcherText({ name, value, isRegex, isEqual }: LabelMatcher): string {
  const written = /^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name);
  return `${written}${signOf(isRegex, isEqual)}${JSON.stringify(value)}`;
}

function signOf(isRegex: boolean, isEqual: boolean): string {
  if (isRegex) return isEqual ? '=~' : '!~';
  return isEqual ? '=' : '!=';
}

const QUOTED_SOURCE = String.raw`"(?:[^"\\]|\\.)*"`;
const MATCHER_FORMAT = new RegExp(
  String.raw`\s*([a-zA-Z_]\w*|${QUOTED_SOURCE})\s*(=~|!~|!=|=)\s*(${QUOTED_SOURCE})\s*(,|\})`,
  'uy',
);

/** Parses a set of matchers, such as `{alertname="Down"}`. */
export function parseMatchers(text: string): readonly LabelMatcher[] | SearchProblem {
  if (text.length > MATCHERS_LENGTH_MAX) {
    return searchProblem(
      `the matchers are longer than ${String(MATCHERS_LENGTH_MAX)} characters: use fewer of them`,
      0,
    );
  }
  const matchers: LabelMatcher[] = [];
  let position = 1;
  for (;;) {
    MATCHER_FORMAT.lastIndex = position;
    const [, name = '', sign = '', value = '', end = ''] = MATCHER_FORMAT.exec(text) ?? [];
    const [label, labelValue] = [name.startsWith('"') ? unquoteText(name) : name, unquoteText(value)];
    if (!label || labelValue === undefined) return searchProblem('expected a matcher like alertname="Down"', position);
    matchers.push({ name: label, value: labelValue, isRegex: sign.endsWith('~'), isEqual: sign.startsWith('=') });
    if (matchers.length > MATCHERS_MAX) return searchProblem(`more than ${String(MATCHERS_MAX)} matchers`, position);
    position = MATCHER_FORMAT.lastIndex;
    if (end === '}') break;
  }
  return position === text.length ? matchers : searchProblem('expected nothing after the closing brace', position);
}

function unquoteText(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'string' ? value : undefined;
  } catch {
    // The text contains an escape sequence that is not valid in JSON.
    return undefined;
  }
}

/** Parses a set of matchers as a selector. Never throws. */
export function parseMatcherSelector(text: string): MatcherSelector | SearchProblem {
  const read = parseMatchers(text);
  if ('kind' in read) return read;
  const matchers = compileMatchers(read);
  if ('problem' in matchers) return searchProblem(matchers.problem, 0);
  // As in Alertmanager, at least one matcher must fail if its label is missing. Otherwise the set would match nearly
  // every event, usually by mistake.
  if (matchers.every(({ matches }) => matches(''))) {
    return searchProblem('at least one matcher must not match the empty value: use a label that must exist', 0);
  }
  // Plain comparisons are evaluated before patterns: they are cheap and rule out most events.
  const cheapFirst = matchers.toSorted((a, b) => Number(a.isRegex) - Number(b.isRegex));
  const covers = (labels: LabelReader): boolean => cheapFirst.every((matcher) => isFulfilled(matcher, labels));
  return {
    kind: 'selector',
    text,
    attributes: {
      client: [],
      check: [ORIGIN_ATTRIBUTE, ...new Set(matchers.map(({ name }) => labelAttribute(name)))],
    },
    matchers,
    cost: costOfMatchers(matchers),
    keys: [],
    matches: (subject) => covers(labelReader(subject)),
    covers,
    canMatchClient: () => true,
    canMatchWithoutAttributes: () => true,
  };
}

/** Cost of evaluating a pattern, plus the cost for each character of the pattern. Comparing two texts costs 1. */
const PATTERN_COST = 5;
const PATTERN_CHARACTER_COST = 0.5;

/**
 * Returns the cost of evaluating a set of matchers. If a matcher requires an exact value, it rules out most events
 * first, so patterns then cost no more than plain comparisons.
 */
function costOfMatchers(matchers: readonly CompiledMatcher[]): number {
  if (requiredValues({ matchers }).length > 0) return matchers.length;
  return matchers.reduce(
    (sum, { isRegex, value }) => sum + (isRegex ? PATTERN_COST + Math.ceil(PATTERN_CHARACTER_COST * value.length) : 1),
    0,
  );
}

/**
 * Whether a label meets a matcher. A label such as `subscription` can have several values. Then `=` and `=~` require
 * that at least one value matches the text or pattern; `!=` and `!~` require that none does.
 */
function isFulfilled({ name, isEqual, matches }: CompiledMatcher, labels: LabelReader): boolean {
  const values = labels(name);
  const [first = ''] = values;
  if (values.length <= 1) return matches(first);
  return isEqual ? values.some(matches) : values.every(matches);
}

/**
 * Returns the matchers that require an exact, non-empty value. Every matching event has these values, so an index can
 * store a set of matchers under one of them.
 */
export function requiredValues({ matchers }: Pick<MatcherSelector, 'matchers'>): readonly LabelMatcher[] {
  return matchers.filter(({ value, isRegex, isEqual }) => isEqual && !isRegex && value !== '');
}
