import type { CheckAggregate, Namespace } from '../model/registry/namespace.ts';
import { openRuleWatch, rulesForAggregate, verdictOf } from './rules.ts';
import { AGGREGATE_SEARCH } from '../../../shared/domain/list-searches.ts';
import type { AggregateSummary, NamedAggregate } from '../../../shared/schemas/aggregate.ts';
import { summaryOf } from './queries.ts';
import { sendList } from '../http/list.ts';
import {
  requestedNamespace,
  requestedNamespaces,
  entriesOf,
  type NamespacedEntry,
} from '../namespaces/request-namespaces.ts';
import { aggregateHandlers, type AggregateDependencies } from './members.ts';
import type { MonHandlers } from '../http/route.ts';
import { searchFilter } from '../http/search.ts';

/**
 * Serves aggregates in the mon API: single aggregates, and a list with the counters of each aggregate, sorted by name
 * and filtered by a search (`?q=`).
 */
export function aggregatesOnMon(
  deps: AggregateDependencies,
): MonHandlers<
  'aggregates' | 'aggregate' | 'deleteAggregate' | 'aggregateClients' | 'aggregateChecks' | 'aggregateResults'
> {
  return {
    aggregates: (request, reply, query) => {
      const namespaces = requestedNamespaces(request, deps);
      const nowMs = deps.clock.now();
      const shown = ({ namespace, entry }: NamespacedEntry<CheckAggregate>): NamedAggregate =>
        namespaces.withNamespaceName(
          { name: entry.name, ...addRuleVerdicts(deps, namespace, entry, summaryOf(namespace, entry, nowMs)) },
          namespace.name,
        );
      const where = searchFilter(AGGREGATE_SEARCH, query, (aggregate: NamedAggregate) => aggregate, nowMs);
      const entries = entriesOf(namespaces, ({ aggregates }) => aggregates.sorted());
      return sendList(request, reply, entries, (some) => some.map(shown), { where });
    },
    ...aggregateHandlers(deps, requestedNamespace, (namespace, entry, summary) =>
      addRuleVerdicts(deps, namespace, entry, summary),
    ),
  };
}

/** Returns the summary of an aggregate with the current verdicts of its rules. */
function addRuleVerdicts(
  { clock, config, registry }: Pick<AggregateDependencies, 'clock' | 'config' | 'registry'>,
  namespace: Namespace,
  aggregate: CheckAggregate,
  summary: AggregateSummary,
): AggregateSummary {
  const rules = rulesForAggregate(config.program['aggregate-rules'], namespace.name, aggregate.name);
  if (rules.length === 0) return summary;
  const moment = registry.state(openRuleWatch).momentAt(clock.now());
  return { ...summary, rules: rules.map((rule) => verdictOf(namespace, aggregate, rule, moment)) };
}
