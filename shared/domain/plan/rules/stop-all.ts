import { passFinding, warnFinding, type PhasedStep, type UpgradeRule } from '../rule.ts';
import { crossesVersion } from '../version.ts';
import { wordsOf } from '../product-words.ts';

const RULE_ID = '5.8.0-stop-all';

/**
 * Upgrade rule for 5.8.0 (reference 9.3): the storage format changes, so backends with the old and the new format must
 * not run together. The plan stops all backends of the cluster first. The rule warns of the gap in monitoring.
 */
export const stopAll: UpgradeRule = {
  id: RULE_ID,
  title: 'All backends of a cluster are stopped together: the storage format changes',
  applies: (path) => crossesVersion(path, [5, 8, 0]),
  evaluate({ backends }) {
    if (backends === undefined) {
      return warnFinding(
        ['the number of backends is unknown'],
        ['with more than one, stop all of them before the first one is upgraded'],
      );
    }
    if (backends.length <= 1) return passFinding('there is one backend');
    const silent = backends.filter(({ healthy }) => healthy !== true);
    return warnFinding(
      [
        `${String(backends.length)} backends: ${backends.map(({ name }) => name).join(', ')}`,
        ...silent.map(({ name, healthy }) =>
          healthy === false ? `${name} reports that it is not healthy` : `${name} is unreachable at its health port`,
        ),
      ],
      [
        'a rolling upgrade is not possible: this plan stops all backends together, and agents keep their results meanwhile',
      ],
    );
  },
  steps: ({ product, backends = [] }) =>
    backends.length <= 1
      ? []
      : backends.map(({ name }): PhasedStep => ({
          id: `stop-${name}`,
          phase: 'stop',
          kind: 'manual',
          rule: RULE_ID,
          title: `Stop the backend ${name}`,
          details: ['All of them have to be down before the first one starts again.'],
          commands: [`systemctl stop ${wordsOf({ product }).backend}`],
        })),
};

/** Whether the backends can be restarted one by one in this upgrade (a rolling upgrade). */
export function isRolling(path: Parameters<UpgradeRule['applies']>[0]): boolean {
  return !crossesVersion(path, [5, 8, 0]);
}
