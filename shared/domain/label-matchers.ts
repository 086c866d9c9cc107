import type { LabelSet } from '../schemas/alert.ts';
import { Pattern } from './expression/pattern.ts';
import type { PatternNode } from './expression/pattern-syntax.ts';
import { boundedSize, parseRe2 } from './expression/re2-syntax.ts';
import { catchSyntaxProblem, type ExpressionProblem } from './expression/syntax-problem.ts';

/** A condition on the value of a label, as in Alertmanager. A missing label has the empty value. */
export interface LabelMatcher {
  readonly name: string;
  readonly value: string;
  readonly isRegex: boolean;
  readonly isEqual: boolean;
}

/** A parsed label matcher, or the syntax problem of its text. */
export type ParsedMatcher = LabelMatcher | { readonly problem: string };

const MATCHER_FORMAT = /^\s*(?:"((?:[^"\\]|\\.)+)"|([^\s=!~"{},]+))\s*(=~|!~|!=|=)\s*(.*?)\s*$/su;

/**
 * Parses a label matcher such as `alertname="Down"`, `job=~node.*` or `"service.name"!=shop`. Name and value can be
 * quoted.
 */
export function parseMatcher(text: string): ParsedMatcher {
  const [, quotedName, plainName = '', sign = '', written = ''] = MATCHER_FORMAT.exec(text) ?? [];
  const name = quotedName === undefined ? plainName : unescapeText(quotedName);
  if (name === '') return { problem: `must look like alertname="Down", not ${JSON.stringify(text.slice(0, 200))}` };
  const value = unquoteValue(written);
  if (value === undefined) return { problem: `the value of ${name} has no closing quote` };
  return { name, value, isRegex: sign.endsWith('~'), isEqual: sign.startsWith('=') };
}

function unquoteValue(text: string): string | undefined {
  if (!text.startsWith('"')) return unescapeText(text);
  if (!/^"(?:[^"\\]|\\.)*"$/s.test(text)) return undefined;
  return unescapeText(text.slice(1, -1));
}

/**
 * Replaces the escapes `\n`, `\"` and `\\`. As in Alertmanager, any other backslash is literal, so that `\d` stays
 * `\d`.
 */
function unescapeText(text: string): string {
  return text.replaceAll(/\\([n"\\])/g, (_sequence, sign: string) => (sign === 'n' ? '\n' : sign));
}

/** A compiled label matcher. */
export interface CompiledMatcher extends LabelMatcher {
  /** Whether a label with this value meets the condition. Callers pass an empty text for a missing label. */
  readonly matches: (value: string) => boolean;
}

/** A test for the whole value of a label. */
interface ValueTest {
  readonly holds: (text: string) => boolean;
  /** Size of the pattern (`sizeOf`); matching time per character grows with it. 0 if the test only compares texts. */
  readonly size: number;
}

/** Maximum sum of the sizes of all patterns in a set of matchers. It bounds the time to evaluate an event. */
const SIZES_MAX = 1024;

/** Compiles a set of label matchers. Their regular expressions must match whole values. */
export function compileMatchers(
  matchers: readonly LabelMatcher[],
): readonly CompiledMatcher[] | { readonly problem: string } {
  const compiled: CompiledMatcher[] = [];
  let sizes = 0;
  for (const matcher of matchers) {
    const one = compileMatcher(matcher);
    if ('problem' in one) return one;
    sizes += one.size;
    compiled.push(one.compiled);
  }
  if (sizes > SIZES_MAX) return { problem: 'together, the patterns are too large: split them into several silences' };
  return compiled;
}

function compileMatcher(
  matcher: LabelMatcher,
): { readonly compiled: CompiledMatcher; readonly size: number } | { readonly problem: string } {
  const { name, value, isRegex, isEqual } = matcher;
  const test = isRegex ? fullMatchTest(value) : { holds: (text: string) => text === value, size: 0 };
  if ('kind' in test) {
    return {
      problem: `the pattern of ${name.slice(0, 100)} at character ${String(test.position + 1)} ${test.message}`,
    };
  }
  const { holds, size } = test;
  return { compiled: { ...matcher, matches: (text) => holds(text) === isEqual }, size };
}

/** A test whether a label set meets a set of matchers, or the problem of the matchers. */
export type LabelFilter = ((labels: LabelSet) => boolean) | { readonly problem: string };

/** Returns a test whether labels meet all matchers, or the problem of the matchers. */
export function labelFilter(matchers: readonly LabelMatcher[]): LabelFilter {
  const compiled = compileMatchers(matchers);
  if ('problem' in compiled) return compiled;
  return (labels) =>
    compiled.every(({ name, matches }) => matches(Object.hasOwn(labels, name) ? (labels[name] ?? '') : ''));
}

/**
 * Returns a test whether an RE2 regular expression matches a whole value, in time linear in the length of the value.
 */
function fullMatchTest(source: string): ValueTest | ExpressionProblem {
  return catchSyntaxProblem(() => {
    const { literals, others } = alternativesOf(removeAnchors(parseRe2(source)));
    if (others.length === 0) return { holds: (text) => literals.has(text), size: 0 };
    const tree: PatternNode = {
      kind: 'sequence',
      nodes: [START_OF_TEXT, { kind: 'choice', nodes: others }, END_OF_TEXT],
    };
    const size = boundedSize(tree);
    // No work limit is needed, because the sizes of patterns and values are bounded.
    const pattern = new Pattern(tree, { ignoresCase: false, workMax: Infinity, keptStepsMax: KEPT_STEPS_MAX });
    return { holds: (text) => literals.has(text) || pattern.hasMatchIn(text) === true, size };
  });
}

/** Maximum number of instructions in the cached states of one pattern; there can be thousands of patterns. */
const KEPT_STEPS_MAX = 4096;

const START_OF_TEXT: PatternNode = { kind: 'assertion', assertion: 'textStart' };
const END_OF_TEXT: PatternNode = { kind: 'assertion', assertion: 'textEnd' };

/** Removes `^` and `$` around a pattern. They have no effect, because a pattern must match whole values anyway. */
function removeAnchors(node: PatternNode): PatternNode {
  if (node.kind !== 'sequence') return node;
  const { nodes } = node;
  const start = isAssertion(nodes[0], 'textStart') ? 1 : 0;
  const end = nodes.length > start && isAssertion(nodes.at(-1), 'textEnd') ? -1 : undefined;
  const inner = nodes.slice(start, end);
  const [first] = inner;
  return first !== undefined && inner.length === 1 ? first : { kind: 'sequence', nodes: inner };
}

function isAssertion(node: PatternNode | undefined, assertion: 'textStart' | 'textEnd'): boolean {
  return node?.kind === 'assertion' && node.assertion === assertion;
}

/**
 * Separates the alternatives of a pattern such as `a|b|c.*` into literal texts and patterns. Clients of the API send
 * long lists of literal texts, for which one lookup in a set is enough.
 */
function alternativesOf(node: PatternNode): { readonly literals: ReadonlySet<string>; readonly others: PatternNode[] } {
  const literals = new Set<string>();
  const others: PatternNode[] = [];
  for (const alternative of node.kind === 'choice' ? node.nodes : [node]) {
    const literal = literalOf(alternative);
    if (literal === undefined) others.push(alternative);
    else literals.add(literal);
  }
  return { literals, others };
}

/** Returns the only text that a node of a pattern can match; undefined if it can match several. */
function literalOf(node: PatternNode): string | undefined {
  switch (node.kind) {
    case 'set': {
      const { ranges, isNegated, isIn, ignoresCase } = node.set;
      const [range, ...more] = ranges;
      const isSole = range !== undefined && more.length === 0 && range[0] === range[1];
      return isSole && !isNegated && isIn === undefined && ignoresCase === undefined
        ? String.fromCodePoint(range[0])
        : undefined;
    }
    case 'sequence': {
      const texts = node.nodes.map(literalOf);
      return texts.includes(undefined) ? undefined : texts.join('');
    }
    default:
      return undefined;
  }
}
