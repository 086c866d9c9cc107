import { blockFinding, namesText, passFinding, warnFinding, type UpgradeRule } from '../rule.ts';
import { crossesVersion } from '../version.ts';
import { wordsOf } from '../product-words.ts';

const RULE_ID = '5.16.0-entity-limit';
/** Number of entities allowed without a license (reference 8). */
const FREE_ENTITIES = 100;
const WARN_SHARE = 0.9;

/**
 * Upgrade rule for 5.16.0 (reference 9.3): above the entity limit, new entities and agents are rejected; existing ones
 * keep working.
 */
export const entityLimit: UpgradeRule = {
  id: RULE_ID,
  title: `Without a license ${String(FREE_ENTITIES)} entities are allowed`,
  applies: (path) => crossesVersion(path, [5, 16, 0]),
  evaluate({ product, entities, attested }) {
    if (entities === undefined) {
      return warnFinding(
        ['the number of entities is unknown'],
        [`count them: ${wordsOf({ product }).tool} entity list --all-namespaces`],
      );
    }
    const { total, newest, limit } = entities;
    if (limit === null) return passFinding(`${String(total)} entities, no limit`);
    const evidence = [`${String(total)} of ${String(limit)} entities`];
    if (total <= limit * WARN_SHARE) return passFinding(...evidence);
    const named = newest.map(({ namespace, name }) => `${namespace}/${name}`);
    if (named.length > 0) evidence.push(`the newest: ${namesText(named)}`);
    const remedy = [
      'existing entities keep working, new ones and new agents are rejected',
      `delete entities that no longer exist${product === 'mon' ? ', or set entity-limit' : ', or get a license'}`,
    ];
    if (total <= limit) return warnFinding(evidence, remedy);
    if (attested.includes('entity-limit')) return warnFinding([...evidence, 'accepted by the operator'], remedy);
    return blockFinding(evidence, [...remedy, 'to continue anyway: --accept entity-limit']);
  },
  steps: (facts, path) =>
    entityLimit.evaluate(facts, path).verdict === 'pass'
      ? []
      : [
          {
            id: 'raise-entity-limit',
            phase: 'prepare',
            kind: 'manual',
            rule: RULE_ID,
            title: 'Make room for new entities',
            details: [
              `Delete entities that no longer exist, or ${facts.product === 'mon' ? 'set entity-limit in the configuration' : 'install a license'}.`,
            ],
            commands: [`${wordsOf(facts).tool} entity list --all-namespaces`],
            check: `rule:${RULE_ID}`,
          },
        ],
};
