import { isSettings, type Settings } from '../../../shared/domain/merge-settings.ts';
import { parseExpression } from '../../../shared/domain/expression/expression.ts';
import type { Remark } from '../../settings/settings-review.ts';
import type { ValidDefinitions } from './validate-settings.ts';

const MARK = 'eval:';

/** Expressions that cannot be read: found here and not when an event comes, where they would match nothing (completion 1.9). */
export function* expressionProblems({ checks, filters }: ValidDefinitions): Generator<Remark> {
  for (const [name, { attributes }] of filters) yield* problemsIn(attributes, ['filters', name, 'attributes']);
  for (const [name, { proxy_requests: proxy }] of checks) {
    if (proxy === undefined) continue;
    yield* problemsIn(proxy.client_attributes, ['checks', name, 'proxy_requests', 'client_attributes']);
  }
}

function* problemsIn(attributes: Settings, path: readonly string[]): Generator<Remark> {
  for (const [name, value] of Object.entries(attributes)) {
    if (isSettings(value)) yield* problemsIn(value, [...path, name]);
    if (typeof value !== 'string' || !value.startsWith(MARK)) continue;
    const expression = parseExpression(value.slice(MARK.length));
    if (expression.kind !== 'problem') continue;
    const { message, position } = expression;
    yield { path: [...path, name], message: `character ${String(MARK.length + position + 1)}: ${message}` };
  }
}
