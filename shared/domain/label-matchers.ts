import type { LabelSet } from '../schemas/alert.ts';
import { Pattern } from './expression/pattern.ts';
import type { PatternNode } from './expression/pattern-syntax.ts';
import { boundedSize, parseRe2 } from './expression/re2-syntax.ts';
import { parsed, type ExpressionProblem } from './expression/syntax-problem.ts';

/** One condition on a label. A label that is not there has the empty value. */
export interface LabelMatcher {
  readonly name: string;
  readonly value: string;
  readonly isRegex: boolean;
  readonly isEqual: boolean;
}

/** A matcher, or why a text is none. */
export type ParsedMatcher = LabelMatcher | { readonly problem: string };

const MATCHER = /^\s*(?:"((?:[^"\\]|\\.)+)"|([^\s=!~"{},]+))\s*(=~|!~|!=|=)\s*(.*?)\s*$/su;

/** Reads `alertname="Down"`, `job=~node.*`, `"service.name"!=shop`: name and value with or without quotes. */
export function parseMatcher(text: string): ParsedMatcher {
  const [, quotedName, plainName = '', sign = '', written = ''] = MATCHER.exec(text) ?? [];
  const name = quotedName === undefined ? plainName : unescaped(quotedName);
  if (name === '') return { problem: `must be like alertname="Down", not ${JSON.stringify(text.slice(0, 200))}` };
  const value = unquoted(written);
  if (value === undefined) return { problem: `the value of ${name} does not end with the quote it begins with` };
  return { name, value, isRegex: sign.endsWith('~'), isEqual: sign.startsWith('=') };
}

function unquoted(text: string): string | undefined {
  if (!text.startsWith('"')) return unescaped(text);
  if (!/^"(?:[^"\\]|\\.)*"$/s.test(text)) return undefined;
  return unescaped(text.slice(1, -1));
}

/** Unescapes as Alertmanager does: before other characters a backslash stands for itself, so that `\d` stays `\d`. */
function unescaped(text: string): string {
  return text.replaceAll(/\\([n"\\])/g, (_sequence, sign: string) => (sign === 'n' ? '\n' : sign));
}

/** A matcher that is ready to be evaluated. */
export interface CompiledMatcher extends LabelMatcher {
  /** Whether a value fulfils the matcher; the empty value is that of a label that is not there. */
  readonly matches: (value: string) => boolean;
}

/** A test of whole values. */
interface ValueTest {
  readonly holds: (text: string) => boolean;
  /** Positions of its pattern; 0: it compares texts. */
  readonly size: number;
}

/** Positions of all patterns of one set of matchers, so that evaluating it for one event never takes long. */
const SIZES_MAX = 1024;

/** Compiles a set of matchers; each pattern is anchored at both ends. */
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
  if (sizes > SIZES_MAX) return { problem: 'the patterns are too large together: split them into several silences' };
  return compiled;
}

function compileMatcher(
  matcher: LabelMatcher,
): { readonly compiled: CompiledMatcher; readonly size: number } | { readonly problem: string } {
  const { name, value, isRegex, isEqual } = matcher;
  const test = isRegex ? wholeValueTest(value) : { holds: (text: string) => text === value, size: 0 };
  if ('kind' in test) {
    return {
      problem: `the pattern of ${name.slice(0, 100)} at character ${String(test.position + 1)} ${test.message}`,
    };
  }
  const { holds, size } = test;
  return { compiled: { ...matcher, matches: (text) => holds(text) === isEqual }, size };
}

/** The test for labels, or why the matchers cannot be read. */
export type LabelFilter = ((labels: LabelSet) => boolean) | { readonly problem: string };

/** Tests whether labels fulfil all of the matchers. */
export function labelFilter(matchers: readonly LabelMatcher[]): LabelFilter {
  const compiled = compileMatchers(matchers);
  if ('problem' in compiled) return compiled;
  return (labels) =>
    compiled.every(({ name, matches }) => matches(Object.hasOwn(labels, name) ? (labels[name] ?? '') : ''));
}

/** Tests a whole value by a regular expression of RE2, in time linear in the value. */
function wholeValueTest(source: string): ValueTest | ExpressionProblem {
  return parsed(() => {
    const { literals, others } = alternativesOf(withoutAnchors(parseRe2(source)));
    if (others.length === 0) return { holds: (text) => literals.has(text), size: 0 };
    const tree: PatternNode = { kind: 'sequence', nodes: [START, { kind: 'choice', nodes: others }, END] };
    const size = boundedSize(tree);
    // No text is too much work: the size of the pattern and the length of values are bounded.
    const pattern = new Pattern(tree, { ignoresCase: false, workMax: Infinity, keptStepsMax: KEPT_STEPS_MAX });
    return { holds: (text) => literals.has(text) || pattern.isFoundIn(text) === true, size };
  });
}

/** There may be thousands of patterns, each of which keeps this many numbers at most. */
const KEPT_STEPS_MAX = 4096;

const START: PatternNode = { kind: 'assertion', assertion: 'textStart' };
const END: PatternNode = { kind: 'assertion', assertion: 'textEnd' };

/** `^(?:a|b)$` says what `a|b` says, because a matcher is anchored. */
function withoutAnchors(node: PatternNode): PatternNode {
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

/** The alternatives of a pattern: clients write long lists of plain texts, which one look-up answers. */
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

/** The one text that a part of a pattern matches; undefined if there may be others. */
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
