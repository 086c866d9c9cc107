import { blockFinding, passFinding, warnFinding, type UpgradeRule } from '../rule.ts';
import { crossesVersion } from '../version.ts';
import { wordsOf } from '../product-words.ts';

/** Upgrade rule for 5.1.0 (reference 9.3): the default state directory changes for a backend without a package. */
export const stateDir: UpgradeRule = {
  id: '5.1.0-state-dir',
  title: 'The default state directory moves to a directory of the backend',
  applies: (path, { install }) => crossesVersion(path, [5, 1, 0]) && install !== 'package',
  evaluate({ product, install, state_dir: dir }) {
    const { oldStateDir, newStateDir, configFile } = wordsOf({ product });
    if (dir === undefined) {
      return warnFinding(
        ['it is unknown whether state-dir is set and where the data is'],
        [`run this check on the machine of the backend, or make sure that ${configFile} sets state-dir`],
      );
    }
    if (dir.configured !== null) return passFinding(`${configFile} sets state-dir to ${dir.configured}`);
    const evidence = [
      install === 'binary' ? 'no package installed the backend' : 'it is unknown if a package installed the backend',
      `${configFile} does not set state-dir`,
      `${oldStateDir} ${dir.old_has_data ? 'holds data' : 'holds no data'}, ${newStateDir} ${dir.new_has_data ? 'holds data' : 'holds no data'}`,
    ];
    if (!dir.old_has_data) return passFinding(...evidence);
    return blockFinding(evidence, [
      `add this line to ${configFile}, or the backend starts empty: ${lineOf(oldStateDir)}`,
      'then restart the backend',
    ]);
  },
  steps: (facts, path) =>
    stateDir.evaluate(facts, path).verdict === 'pass'
      ? []
      : [
          {
            id: 'set-state-dir',
            phase: 'prepare',
            kind: 'manual',
            rule: '5.1.0-state-dir',
            title: 'Keep the old state directory',
            details: ['Otherwise the backend starts with an empty directory and seems to have lost everything.'],
            commands: [`echo '${lineOf(wordsOf(facts).oldStateDir)}' >> ${wordsOf(facts).configFile}`],
            check: 'rule:5.1.0-state-dir',
          },
        ],
};

function lineOf(directory: string): string {
  return `state-dir: ${directory}`;
}
