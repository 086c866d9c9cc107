import { block, namesText, pass, warn, type UpgradeRule } from '../rule.ts';

const ID = 'stashes';

/**
 * Upgrade rule for silences that are stored as stashes (reference 9.1, completion 1.19). Such stashes have no effect on
 * newer backends, so they are converted to silences.
 */
export const silenceStashes: UpgradeRule = {
  id: ID,
  title: 'Silence stashes become silences',
  applies: (_path, { silence_stashes: stashes }) => stashes !== undefined && stashes.total > 0,
  evaluate({ silence_stashes: stashes }) {
    if (stashes === undefined || stashes.total === 0) return pass('there are no silence stashes');
    const { total, unclear, unready } = stashes;
    const evidence = [`${String(total)} stashes under silence/`];
    if (unclear.length > 0) evidence.push(`not recognized: ${namesText(unclear)}`);
    if (unready.length > 0) {
      return block(
        [...evidence, `without their own subscription, or older than 0.26: ${namesText(unready)}`],
        ['upgrade these clients first: silences for them would match nothing'],
      );
    }
    return warn(evidence, ['preview the conversion: monctl migrate stashes']);
  },
  steps: ({ product, silence_stashes: stashes }) =>
    stashes === undefined || stashes.total === 0
      ? []
      : [
          {
            id: 'migrate-stashes',
            phase: 'prepare',
            rule: ID,
            title: `Convert into silences: ${String(stashes.total)} stashes`,
            details: ['Each stash is deleted only after its entry exists. Dashboards come after that (reference 9.1).'],
            ...(product === 'mon'
              ? { kind: 'action', action: 'migrate-stashes' }
              : { kind: 'manual', commands: ['monctl migrate stashes --apply'], check: `rule:${ID}` }),
          },
        ],
};
