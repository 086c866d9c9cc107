import { attributeText, isAttributes } from '../attributes.ts';
import { callMethod } from './methods.ts';
import { applyOperator } from './operators.ts';
import { parseTree, type ExpressionTree } from './parse-tree.ts';
import { catchSyntaxProblem, type ExpressionProblem } from './syntax-problem.ts';
import type { ExpressionNode, Token } from './tree.ts';
import { EvaluationFailure, isTruthy, kindText, textOrFailure, ZonedTime, NumberRange } from './values.ts';

/**
 * A parsed expression: the text after `eval:` in filters and proxy requests. It has the syntax of Ruby, so that Sensu
 * definitions run unchanged. It is interpreted here, without access to files or network (completion 1.9).
 *
 * - literals: numbers, 'texts', "texts", true, false, nil, null, [lists], ranges 1..5
 * - `value`: the attribute under test; `:::path|default:::`: another attribute of the same event or client
 * - `! && || == != < <= > >= + - * / % ? :` and parentheses; the result of a division by zero is false
 * - `value =~ /pattern/`, in linear time (`pattern-syntax.ts`)
 * - methods of all values: `nil?`; of texts and lists: `include? start_with? end_with? empty? length size downcase
 *   upcase`; of numbers: `between? abs`; of ranges: `include?`; conversions: `to_i to_f to_s`
 * - `Time.now` and `Time.at(seconds)` with `hour min sec day month year wday yday to_i`, also `Time.at(n, in: 'UTC')`
 */
export interface Expression extends ExpressionTree {
  readonly kind: 'expression';
  readonly source: string;
}

/** The data that an expression is evaluated on. */
export interface EvaluationContext {
  /** The attribute under test. */
  readonly value: unknown;
  /**
   * Callback that returns the attribute at a path; undefined or null if there is none. It must read own properties
   * only.
   */
  readonly token: (path: readonly string[]) => unknown;
  /** The current time in epoch milliseconds. */
  readonly nowMs: number;
  /** The time zone of times without a zone of their own, as returned by `timeZoneOf`. */
  readonly zone: string;
}

export type Evaluation =
  | { readonly kind: 'value'; readonly value: unknown }
  | { readonly kind: 'error'; readonly message: string }
  /** Some tokens (`:::path:::`) have no attribute and no default. `paths` lists their paths without duplicates. */
  | { readonly kind: 'unmatched'; readonly paths: readonly string[] };

/** Maximum epoch seconds of a time in an expression: the end of the year 9999. */
const EPOCH_SECONDS_MAX = 253_402_300_799;

/**
 * Parses an expression once, when its definition is loaded. Never throws.
 *
 * @param roots names that begin attribute paths, such as `event` in `event.check.status`. If there are any, the parser
 *   also accepts v2 syntax: `===`, `!==`, and names in brackets
 */
export function parseExpression(source: string, roots?: ReadonlySet<string>): Expression | ExpressionProblem {
  return catchSyntaxProblem(() => ({ kind: 'expression', source, ...parseTree(source, roots) }));
}

/** Evaluates an expression. Never throws, and takes time linear in the size of the values that it reads. */
export function evaluateExpression(expression: Expression, subject: EvaluationContext): Evaluation {
  // All tokens are resolved first, because Sensu Core substitutes all tokens before it evaluates the expression.
  const unmatched = expression.tokens.filter((token) => tokenValue(token, subject) === undefined);
  if (unmatched.length > 0) {
    return { kind: 'unmatched', paths: [...new Set(unmatched.map(({ path }) => path.join('.')))] };
  }
  const value = valueOf(expression.root, subject);
  return value instanceof EvaluationFailure ? { kind: 'error', message: value.message } : { kind: 'value', value };
}

function valueOf(node: ExpressionNode, subject: EvaluationContext): unknown {
  switch (node.kind) {
    case 'literal':
    case 'float':
      return node.value;
    case 'value':
      return subject.value ?? null;
    case 'attribute':
      return subject.token(node.path) ?? null;
    case 'token':
      return tokenValue(node.token, subject);
    case 'text':
      return textOrFailure(
        node.parts.map((part) => (typeof part === 'string' ? part : tokenText(part, subject))).join(''),
      );
    case 'list':
      return valuesOf(node.items, subject);
    case 'range':
      return rangeOf(valueOf(node.first, subject), valueOf(node.last, subject));
    case 'not':
      return ifValue(valueOf(node.operand, subject), (value) => !isTruthy(value));
    case 'minus':
      return ifValue(valueOf(node.operand, subject), (value) =>
        typeof value === 'number' ? -value : new EvaluationFailure(`- cannot be applied to ${kindText(value)}`),
      );
    case 'binary':
      return binaryValue(node, subject);
    case 'match':
      return ifValue(valueOf(node.subject, subject), (value) => {
        if (value === null) return false;
        return typeof value === 'string'
          ? (node.pattern.hasMatchIn(value) ??
              new EvaluationFailure('testing the pattern takes too long, because the tested text is too long'))
          : new EvaluationFailure(`=~ cannot be applied to ${kindText(value)}`);
      });
    case 'choice':
      return ifValue(valueOf(node.condition, subject), (condition) =>
        valueOf(isTruthy(condition) ? node.yes : node.no, subject),
      );
    case 'call':
      return ifValue(valueOf(node.receiver, subject), (receiver) => {
        const args = valuesOf(node.arguments, subject);
        return args instanceof EvaluationFailure ? args : callMethod(node.method, receiver, args);
      });
    default:
      return momentOf(
        node.seconds === undefined ? subject.nowMs / 1000 : valueOf(node.seconds, subject),
        node.zone ?? subject.zone,
      );
  }
}

function ifValue(value: unknown, next: (value: unknown) => unknown): unknown {
  return value instanceof EvaluationFailure ? value : next(value);
}

function valuesOf(nodes: readonly ExpressionNode[], subject: EvaluationContext): unknown[] | EvaluationFailure {
  const values: unknown[] = [];
  for (const node of nodes) {
    const value = valueOf(node, subject);
    if (value instanceof EvaluationFailure) return value;
    values.push(value);
  }
  return values;
}

function binaryValue(
  { operator, left, right }: ExpressionNode & { readonly kind: 'binary' },
  subject: EvaluationContext,
): unknown {
  return ifValue(valueOf(left, subject), (value) => {
    // As in Ruby, `&&` and `||` return the operand that decides, and evaluate the right one only if necessary.
    if (operator === 'and') return isTruthy(value) ? valueOf(right, subject) : value;
    if (operator === 'or') return isTruthy(value) ? value : valueOf(right, subject);
    return ifValue(valueOf(right, subject), (other) => applyOperator(operator, value, other));
  });
}

function rangeOf(first: unknown, last: unknown): unknown {
  if (first instanceof EvaluationFailure) return first;
  if (last instanceof EvaluationFailure) return last;
  return typeof first === 'number' && typeof last === 'number'
    ? new NumberRange(first, last)
    : new EvaluationFailure(`.. cannot be applied to ${kindText(first)} and ${kindText(last)}`);
}

function momentOf(seconds: unknown, zone: string): unknown {
  if (seconds instanceof EvaluationFailure) return seconds;
  if (typeof seconds !== 'number') return new EvaluationFailure(`Time.at cannot be applied to ${kindText(seconds)}`);
  return seconds >= 0 && seconds <= EPOCH_SECONDS_MAX
    ? new ZonedTime(seconds, zone)
    : new EvaluationFailure('Time.at needs seconds since 1970, up to the year 9999');
}

/**
 * Returns the value of the attribute that a token names, or else the default of the token; undefined if it has neither.
 * If the value is an object, the default is used too (completion 1.12).
 */
function tokenValue({ path, fallback }: Token, subject: EvaluationContext): unknown {
  const value = subject.token(path);
  return value === null || value === undefined || isAttributes(value) ? fallback?.value : value;
}

function tokenText({ path, fallback }: Token, subject: EvaluationContext): string {
  const value = subject.token(path);
  return value === null || value === undefined || isAttributes(value) ? (fallback?.text ?? '') : attributeText(value);
}
