import { block, namesText, pass, warn, type UpgradeRule } from '../rule.ts';
import { crosses } from '../version.ts';
import { wordsOf } from '../product-words.ts';

const ID = '5.16.0-entity-limit';
/** Number of entities allowed without a license (reference 8). */
const FREE_ENTITIES = 100;
const WARN_SHARE = 0.9;

/**
 * Upgrade rule for 5.16.0 (reference 9.3): above the entity limit, new entities and agents are rejected; existing ones
 * keep working.
 */
export const entityLimit: UpgradeRule = {
  id: ID,
  title: `Without a license ${String(FREE_ENTITIES)} entities are allowed`,
  applies: (path) => crosses(path, [5, 16, 0]),
  evaluate({ product, entities, attested }) {
    if (entities === undefined) {
      return warn(
        ['the number of entities is unknown'],
        [`count them: ${wordsOf({ product }).tool} entity list --all-namespaces`],
      );
    }
    const { total, newest, limit } = entities;
    if (limit === null) return pass(`${String(total)} entities, no limit`);
    const evidence = [`${String(total)} of ${String(limit)} entities`];
    if (total <= limit * WARN_SHARE) return pass(...evidence);
    const named = newest.map(({ namespace, name }) => `${namespace}/${name}`);
    if (named.length > 0) evidence.push(`the newest: ${namesText(named)}`);
    const remedy = [
      'existing entities keep working, new ones and new agents are rejected',
      `delete entities that no longer exist${product === 'mon' ? ', or set entity-limit' : ', or get a license'}`,
    ];
    if (total <= limit) return warn(evidence, remedy);
    if (attested.includes('entity-limit')) return warn([...evidence, 'accepted by the operator'], remedy);
    return block(evidence, [...remedy, 'to continue anyway: --accept entity-limit']);
  },
  steps: (facts, path) =>
    entityLimit.evaluate(facts, path).verdict === 'pass'
      ? []
      : [
          {
            id: 'raise-entity-limit',
            phase: 'prepare',
            kind: 'manual',
            rule: ID,
            title: 'Make room for new entities',
            details: [
              `Delete entities that no longer exist, or ${facts.product === 'mon' ? 'set entity-limit in the configuration' : 'install a license'}.`,
            ],
            commands: [`${wordsOf(facts).tool} entity list --all-namespaces`],
            check: `rule:${ID}`,
          },
        ],
};
