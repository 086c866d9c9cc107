import { block, namesText, pass, warn, type UpgradeRule } from '../rule.ts';

const ID = 'stashes';

/** Reference 9.1 and completion 1.19: silences stored as stashes have no effect on a backend with silenced entries. */
export const silenceStashes: UpgradeRule = {
  id: ID,
  title: 'Stashes that silence become silenced entries',
  applies: (_path, { silence_stashes: stashes }) => stashes !== undefined && stashes.total > 0,
  judge({ silence_stashes: stashes }) {
    if (stashes === undefined || stashes.total === 0) return pass('no stash silences anything');
    const { total, unclear, unready } = stashes;
    const evidence = [`${String(total)} stashes under silence/`];
    if (unclear.length > 0) evidence.push(`not to be understood: ${namesText(unclear)}`);
    if (unready.length > 0) {
      return block(
        [...evidence, `without their own subscription, or older than 0.26: ${namesText(unready)}`],
        ['upgrade these clients first: entries for them would match nothing'],
      );
    }
    return warn(evidence, ['look at what would be made of them: monctl migrate stashes']);
  },
  steps: ({ product, silence_stashes: stashes }) =>
    stashes === undefined || stashes.total === 0
      ? []
      : [
          {
            id: 'migrate-stashes',
            phase: 'prepare',
            rule: ID,
            title: `Make silenced entries of ${String(stashes.total)} stashes`,
            details: ['Each stash is deleted only after its entry exists. Dashboards come after that (reference 9.1).'],
            ...(product === 'mon'
              ? { kind: 'action', action: 'migrate-stashes' }
              : { kind: 'manual', commands: ['monctl migrate stashes --apply'], check: `rule:${ID}` }),
          },
        ],
};
