import { readAttributePath, attributeText, isAttributes, type Attributes } from './attributes.ts';
import { evaluateExpression, parseExpression, type Expression } from './expression/expression.ts';
import { isEqual, isTruthy } from './expression/values.ts';

/** Conditions on the attributes of events (in a filter) or of clients (in a proxy request). All must be met. */
export interface AttributeConditions {
  readonly kind: 'conditions';
  readonly attributes: ReadonlyMap<string, Condition>;
}

type Condition =
  | AttributeConditions
  | { readonly kind: 'equal'; readonly expectedValue: unknown }
  | { readonly kind: 'expression'; readonly expression: Expression };

export interface ConditionProblems {
  readonly kind: 'problems';
  readonly problems: readonly { readonly path: readonly string[]; readonly message: string }[];
}

/** The current time, for expressions that use it. */
export interface EvaluationTime {
  readonly nowMs: number;
  /** Time zone as returned by `timeZoneOf`. */
  readonly zone: string;
}

export type AttributeMatch = { readonly matches: true } | AttributeMismatch;

/** The first condition that a record does not meet. */
export interface AttributeMismatch {
  readonly matches: false;
  readonly path: readonly string[];
  /** `error` and `unmatched` are defects of the definition and are logged. */
  readonly cause: 'different' | 'false' | 'error' | 'unmatched';
  /**
   * Explanation that is shown after the path of the attribute. It contains the expected value, never the actual value,
   * because that could be a secret.
   */
  readonly reason: string;
}

/** Prefix of a text that is an expression. */
const EXPRESSION_PREFIX = 'eval:';

/** Parses the conditions of a definition once, when the definition is loaded. */
export function parseConditions(definition: Attributes): AttributeConditions | ConditionProblems {
  const problems: ConditionProblems['problems'][number][] = [];

  function conditionsOf(attributes: Attributes, path: readonly string[]): AttributeConditions {
    const entries = Object.entries(attributes).map(
      ([name, value]) => [name, conditionOf(value, [...path, name])] as const,
    );
    return { kind: 'conditions', attributes: new Map(entries) };
  }

  function conditionOf(value: unknown, path: readonly string[]): Condition {
    if (isAttributes(value)) return conditionsOf(value, path);
    if (typeof value !== 'string' || !value.startsWith(EXPRESSION_PREFIX))
      return { kind: 'equal', expectedValue: value };
    const expression = parseExpression(value.slice(EXPRESSION_PREFIX.length));
    if (expression.kind === 'expression') return { kind: 'expression', expression };
    const position = EXPRESSION_PREFIX.length + expression.position + 1;
    problems.push({ path, message: `${expression.message} (character ${String(position)})` });
    return { kind: 'equal', expectedValue: value };
  }

  const conditions = conditionsOf(definition, []);
  return problems.length === 0 ? conditions : { kind: 'problems', problems };
}

/**
 * Whether a record meets all conditions (completion 1.9). A condition is an expected value, an object with conditions
 * for the nested attributes, or an expression. An expected value is met if the attribute is equal or has the same text;
 * an expression is met if it is true. Tokens in expressions (`:::name:::`) refer to attributes of the whole record.
 */
export function matchConditions(
  conditions: AttributeConditions,
  record: Attributes,
  moment: EvaluationTime,
): AttributeMatch {
  return matchAttributes(conditions, record, [], { record, moment });
}

interface EvaluationContext {
  readonly record: Attributes;
  readonly moment: EvaluationTime;
}

function matchAttributes(
  { attributes }: AttributeConditions,
  part: Attributes,
  path: readonly string[],
  surroundings: EvaluationContext,
): AttributeMatch {
  for (const [name, condition] of attributes) {
    const match = matchAttribute(condition, readAttributePath(part, [name]), [...path, name], surroundings);
    if (!match.matches) return match;
  }
  return { matches: true };
}

function matchAttribute(
  condition: Condition,
  value: unknown,
  path: readonly string[],
  surroundings: EvaluationContext,
): AttributeMatch {
  switch (condition.kind) {
    case 'conditions':
      if (isAttributes(value)) return matchAttributes(condition, value, path, surroundings);
      return { matches: false, path, cause: 'different', reason: 'has no attributes of its own' };
    case 'equal': {
      const { expectedValue } = condition;
      if (isEqual(expectedValue, value) || attributeText(expectedValue) === attributeText(value))
        return { matches: true };
      return { matches: false, path, cause: 'different', reason: `is not ${JSON.stringify(expectedValue)}` };
    }
    default:
      return matchExpression(condition.expression, value, path, surroundings);
  }
}

function matchExpression(
  expression: Expression,
  value: unknown,
  path: readonly string[],
  { record, moment }: EvaluationContext,
): AttributeMatch {
  const source = expression.source.trim();
  const evaluation = evaluateExpression(expression, { value, token: (at) => readAttributePath(record, at), ...moment });
  switch (evaluation.kind) {
    case 'value':
      if (isTruthy(evaluation.value)) return { matches: true };
      return { matches: false, path, cause: 'false', reason: `does not meet ${source}` };
    case 'error':
      return {
        matches: false,
        path,
        cause: 'error',
        reason: `cannot be evaluated with ${source}: ${evaluation.message}`,
      };
    default: {
      const tokens = evaluation.paths.join(', ');
      return {
        matches: false,
        path,
        cause: 'unmatched',
        reason: `cannot be evaluated with ${source}: there is nothing at ${tokens}`,
      };
    }
  }
}
