import { parseExpression, evaluateExpression, type Expression } from '../expression/expression.ts';
import { readAttributePath, type Attributes } from '../attributes.ts';
import { isTruthy } from '../expression/values.ts';
import { readScript, runScript, type Script } from '../expression/script.ts';
import { isTruthyInScript } from '../expression/script-values.ts';
import type { EvaluationTime } from '../attribute-conditions.ts';
import type { UntranslatableObject } from './problem.ts';

/**
 * Parsed expressions of the v2 API. Sensu Go runs them as JavaScript; mon interprets them itself (see `Script` and
 * `Expression`).
 */
export interface V2Expressions {
  readonly kind: 'expressions';
  readonly expressions: readonly (Expression | Script)[];
}

/** The first of several expressions that is false; undefined if none is false. */
export type ExpressionObjection = { readonly source: string } | undefined;

/** The outcome of evaluating the expressions of a v2 filter or proxy request. */
export interface ExpressionVerdict {
  readonly objection: ExpressionObjection;
  /** Expressions that failed with an error. The evaluation continues with the next one; the caller decides. */
  readonly defects: readonly { readonly source: string; readonly message: string }[];
}

const EVENT_ROOT = new Set(['event']);
const ENTITY_ROOT = new Set(['entity']);

/** Parses expressions about an event, such as `event.check.occurrences == 1`. */
export function eventConditions(sources: readonly string[]): V2Expressions | UntranslatableObject {
  return parseAll(sources, EVENT_ROOT);
}

/** Parses expressions about an entity, such as `entity.entity_class == 'proxy'`. */
export function entityConditions(sources: readonly string[]): V2Expressions | UntranslatableObject {
  return parseAll(sources, ENTITY_ROOT);
}

function parseAll(sources: readonly string[], roots: ReadonlySet<string>): V2Expressions | UntranslatableObject {
  const expressions: (Expression | Script)[] = [];
  for (const source of sources) {
    const script = readScript(source);
    // A text that is not a valid script can still be an expression of the v1 language, such as `value =~ /x/`.
    const older = script.kind === 'problem' ? parseExpression(source, roots) : script;
    if (older.kind === 'problem') {
      const { message, position } = script.kind === 'problem' ? script : older;
      return {
        problem: `the expression ${JSON.stringify(source)} is invalid at character ${String(position + 1)}: ${message}`,
      };
    }
    expressions.push(older);
  }
  return { kind: 'expressions', expressions };
}

/**
 * Evaluates expressions in order, up to the first one that is false.
 *
 * @param subject the object about which the expressions are, under its name: `{event}` or `{entity}`
 */
export function evaluateExpressions(
  { expressions }: V2Expressions,
  subject: Attributes,
  moment: EvaluationTime,
): ExpressionVerdict {
  const defects: { readonly source: string; readonly message: string }[] = [];
  for (const expression of expressions) {
    const { source } = expression;
    const result =
      expression.kind === 'script' ? scriptValue(expression, subject, moment) : olderValue(expression, subject, moment);
    if ('message' in result) defects.push({ source, message: result.message });
    else if (!result.holds) return { objection: { source }, defects };
  }
  return { objection: undefined, defects };
}

type ExpressionResult = { readonly holds: boolean } | { readonly message: string };

function scriptValue(script: Script, subject: Attributes, { nowMs }: EvaluationTime): ExpressionResult {
  const outcome = runScript(script, subject, nowMs);
  return outcome.kind === 'thrown' ? outcome : { holds: isTruthyInScript(outcome.value) };
}

function olderValue(expression: Expression, subject: Attributes, moment: EvaluationTime): ExpressionResult {
  const outcome = evaluateExpression(expression, {
    value: null,
    token: (path) => readAttributePath(subject, path),
    ...moment,
  });
  switch (outcome.kind) {
    case 'value':
      return { holds: isTruthy(outcome.value) };
    case 'error':
      return outcome;
    default:
      return { message: `nothing is at ${outcome.paths.join(', ')}` };
  }
}
