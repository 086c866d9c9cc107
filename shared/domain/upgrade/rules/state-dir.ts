import { block, pass, warn, type UpgradeRule } from '../rule.ts';
import { crosses } from '../version.ts';

const OLD = '/var/lib/mon';
const NEW = '/var/lib/mon/mon-backend';
const LINE = `state-dir: ${OLD}`;
const CONFIG_FILE = '/etc/mon/backend.yml';

/** Reference 9.3, 5.1.0: bare binaries look for their state in another directory from then on. */
export const stateDir: UpgradeRule = {
  id: '5.1.0-state-dir',
  title: `The default state directory moves from ${OLD} to ${NEW}`,
  applies: (path, { install }) => crosses(path, [5, 1, 0]) && install !== 'package',
  judge({ install, state_dir: dir }) {
    if (dir === undefined) {
      return warn(
        ['whether state-dir is set, and where the data is, is not known from here'],
        [`run this check on the machine of the backend, or make sure that ${CONFIG_FILE} sets state-dir`],
      );
    }
    if (dir.configured !== null) return pass(`${CONFIG_FILE} sets state-dir to ${dir.configured}`);
    const evidence = [
      install === 'binary' ? 'the backend is a bare binary' : 'whether a package owns the backend is not known',
      `${CONFIG_FILE} does not set state-dir`,
      `${OLD} ${dir.old_has_data ? 'holds data' : 'holds no data'}, ${NEW} ${dir.new_has_data ? 'holds data' : 'holds no data'}`,
    ];
    if (!dir.old_has_data) return pass(...evidence);
    return block(evidence, [
      `add this line to ${CONFIG_FILE}, or the backend starts empty: ${LINE}`,
      'then restart the backend',
    ]);
  },
  steps: (facts, path) =>
    stateDir.judge(facts, path).verdict === 'pass'
      ? []
      : [
          {
            id: 'set-state-dir',
            phase: 'prepare',
            kind: 'manual',
            rule: '5.1.0-state-dir',
            title: 'Keep the old state directory',
            details: ['Without it the backend starts on an empty directory and seems to have lost everything.'],
            commands: [`echo '${LINE}' >> ${CONFIG_FILE}`],
            check: 'rule:5.1.0-state-dir',
          },
        ],
};
