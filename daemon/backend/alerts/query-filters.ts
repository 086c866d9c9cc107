import type { FastifyRequest } from 'fastify';
import { labelFilter, parseMatcher, type LabelMatcher } from '../../../shared/domain/label-matchers.ts';
import { ALERT_RECEIVER } from '../../../shared/domain/shown-alert.ts';
import { MonError } from '../../../shared/errors.ts';
import type { LabelSet, ShownAlert } from '../../../shared/schemas/alert.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { Filter } from '../http/filter.ts';
import { readQueryNamespace, queryOf } from '../http/query.ts';
import type { NamespaceDependencies } from '../namespaces/request-namespaces.ts';
import type { Namespace } from '../model/registry/namespace.ts';

/** Maximum number of label matchers in the query of one request. */
const MATCHERS_MAX = 100;

/**
 * Returns the namespace `default`, the only one that the Alertmanager API serves.
 *
 * @throws MonError `invalid` if the query of the request names another namespace
 */
export function alertNamespace(request: Pick<FastifyRequest, 'url'>, { registry }: NamespaceDependencies): Namespace {
  const name = readQueryNamespace(request);
  if (name === DEFAULT_NAMESPACE) return registry.namespace(DEFAULT_NAMESPACE);
  const message = `namespace: /api/v2 serves only the namespace ${DEFAULT_NAMESPACE}; use /api/mon/v1 for others`;
  throw new MonError('invalid', message);
}

/**
 * Returns a filter of labels, from the matchers in the query of a request.
 *
 * @throws MonError `invalid` if a matcher is invalid, or there are too many
 */
export function labelFilterOf(request: Pick<FastifyRequest, 'url'>): Filter<LabelSet> {
  const texts = queryOf(request).getAll('filter');
  if (texts.length > MATCHERS_MAX)
    throw new MonError('invalid', `filter: at most ${String(MATCHERS_MAX)} matchers are allowed`);
  return filterOf(
    texts.map((text) => {
      const matcher = parseMatcher(text);
      if ('problem' in matcher) throw new MonError('invalid', `filter: ${matcher.problem}`);
      return matcher;
    }),
  );
}

/**
 * Returns a filter of alerts, from the matchers, states and receiver in the query of a request.
 *
 * @throws MonError `invalid` if a matcher or the receiver is invalid, or there are too many matchers
 */
export function alertFilterOf(request: Pick<FastifyRequest, 'url'>): Filter<ShownAlert> {
  const query = queryOf(request);
  const isIncluded = (state: string): boolean => query.get(state) !== 'false';
  const [active, silenced, inhibited] = [isIncluded('active'), isIncluded('silenced'), isIncluded('inhibited')];
  const hasState = ({ state, silencedBy, inhibitedBy }: ShownAlert['status']): boolean =>
    (active || state !== 'active') && (silenced || silencedBy.length === 0) && (inhibited || inhibitedBy.length === 0);
  const hasLabels = labelFilterOf(request);
  const receiver = query.get('receiver');
  const isReceived =
    receiver === null ||
    filterOf([{ name: 'name', value: receiver, isRegex: true, isEqual: true }])({ name: ALERT_RECEIVER });
  return ({ labels, status }) => isReceived && hasState(status) && hasLabels(labels);
}

function filterOf(matchers: readonly LabelMatcher[]): Filter<LabelSet> {
  const filter = labelFilter(matchers);
  if (typeof filter === 'function') return filter;
  throw new MonError('invalid', `filter: ${filter.problem}`);
}
