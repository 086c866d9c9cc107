import { INHIBITION_SEARCH } from '../../../../shared/domain/list-searches.ts';
import type { Definitions } from '../../model/config/definitions.ts';
import type { Change } from '../../ports.ts';
import type { Topic } from '../../model/tables/feed-topic.ts';
import { buildInhibitionRow } from './queries.ts';

/**
 * Returns the feed topic `inhibitions`, with one row for each inhibition rule. Every reader of the feed sees all rules,
 * but only the inhibitors in namespaces that the reader may see.
 */
export function inhibitionTopic(definitions: Pick<Definitions, 'inhibitions'>): Topic {
  return {
    name: 'inhibitions',
    search: INHIBITION_SEARCH,
    revision: () => definitions.inhibitions.map(({ fingerprint }) => fingerprint).join(),
    *rows({ registry, reach }) {
      const namespaces = reach.namespaces(registry);
      for (const rule of definitions.inhibitions) yield [rule.name, buildInhibitionRow(rule, namespaces)];
    },
    changed({ registry, reach }, changes) {
      const affectedRuleNames = new Set(
        [...changes.values()].flatMap((namespaceChanges) =>
          namespaceChanges.flatMap((change) => affectedRuleName(change) ?? []),
        ),
      );
      if (affectedRuleNames.size === 0) return [];
      const namespaces = reach.namespaces(registry);
      const rules = definitions.inhibitions.filter(({ name }) => affectedRuleNames.has(name));
      return (function* () {
        for (const rule of rules) yield [rule.name, buildInhibitionRow(rule, namespaces)] as const;
      })();
    },
  };
}

/**
 * Returns the name of the inhibition rule that a committed change affects, because an inhibitor or an inhibited event
 * of the rule changed. Returns undefined for any other change.
 */
function affectedRuleName(change: Change): string | undefined {
  return change[0] === 'inhibitor' || change[0] === 'inhibited' ? change[2] : undefined;
}
