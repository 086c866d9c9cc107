import { evaluate, parseExpression, type Expression } from '../expression/expression.ts';
import { attributeAt, type Attributes } from '../attributes.ts';
import { isTruthy } from '../expression/values.ts';
import type { Moment } from '../attribute-conditions.ts';
import type { Untranslatable } from './problem.ts';

/** What stands in the newer API where the peer runs JavaScript, in the closed language of ours. */
export interface CoreExpressions {
  readonly kind: 'expressions';
  readonly expressions: readonly Expression[];
}

/** The first expression that does not hold; undefined: all of them do. */
export type Objection = { readonly source: string; readonly defect?: string } | undefined;

const EVENT = new Set(['event']);
const ENTITY = new Set(['entity']);

/** Expressions about an event, such as `event.check.occurrences == 1`. */
export function eventConditions(sources: readonly string[]): CoreExpressions | Untranslatable {
  return parseAll(sources, EVENT);
}

/** Expressions about an entity, such as `entity.entity_class == 'proxy'`. */
export function entityConditions(sources: readonly string[]): CoreExpressions | Untranslatable {
  return parseAll(sources, ENTITY);
}

function parseAll(sources: readonly string[], roots: ReadonlySet<string>): CoreExpressions | Untranslatable {
  const expressions: Expression[] = [];
  for (const source of sources) {
    const parsed = parseExpression(source, roots);
    if (parsed.kind === 'problem') {
      const { message, position } = parsed;
      return {
        problem: `the expression ${JSON.stringify(source)} cannot be read, character ${String(position + 1)}: ${message}`,
      };
    }
    expressions.push(parsed);
  }
  return { kind: 'expressions', expressions };
}

/** @param subject holds what the expressions are about under its name: `{event}` or `{entity}` */
export function objectionOf({ expressions }: CoreExpressions, subject: Attributes, moment: Moment): Objection {
  for (const expression of expressions) {
    const { source } = expression;
    const found = evaluate(expression, {
      value: null,
      token: (path) => attributeAt(subject, path),
      ...moment,
    });
    if (found.kind === 'value' && isTruthy(found.value)) continue;
    switch (found.kind) {
      case 'value':
        return { source };
      case 'error':
        return { source, defect: found.message };
      default:
        return { source, defect: `nothing is at ${found.paths.join(', ')}` };
    }
  }
  return undefined;
}
