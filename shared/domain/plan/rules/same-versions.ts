import { blockFinding, passFinding, warnFinding, type UpgradeRule } from '../rule.ts';
import { wordsOf } from '../product-words.ts';

/** Rule for every upgrade (completion 1.19): backends that share a database must have the same version. */
export const sameVersions: UpgradeRule = {
  id: 'same-versions',
  title: 'All backends run the same version',
  applies: () => true,
  evaluate({ product, backends }) {
    const compare = `${wordsOf({ product }).backend} version`;
    if (backends === undefined) {
      return warnFinding(['the versions of the backends are unknown'], [`compare them: ${compare}`]);
    }
    const evidence = backends.map(({ name, version }) => `${name}: ${version ?? 'not known'}`);
    const versions = new Set(backends.map(({ version }) => version));
    if (versions.has(null)) return warnFinding(evidence, [`compare them manually: ${compare}`]);
    if (versions.size <= 1) return passFinding(...evidence);
    return blockFinding(evidence, ['bring all backends to the same version first']);
  },
  steps: () => [],
};
