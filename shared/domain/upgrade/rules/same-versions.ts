import { block, pass, warn, type UpgradeRule } from '../rule.ts';

/** Completion 1.19, always: the database is upgraded by backends that agree about what it is. */
export const sameVersions: UpgradeRule = {
  id: 'same-versions',
  title: 'All backends run the same version',
  applies: () => true,
  judge({ backends }) {
    if (backends === undefined) {
      return warn(['the versions of the backends are not known from here'], ['compare them: mon-backend version']);
    }
    const evidence = backends.map(({ name, version }) => `${name}: ${version ?? 'not known'}`);
    const versions = new Set(backends.map(({ version }) => version));
    if (versions.has(null)) return warn(evidence, ['compare them by hand: mon-backend version']);
    if (versions.size <= 1) return pass(...evidence);
    return block(evidence, ['bring all backends to the same version first']);
  },
  steps: () => [],
};
