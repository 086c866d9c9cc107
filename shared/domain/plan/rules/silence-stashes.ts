import { blockFinding, namesText, passFinding, warnFinding, type UpgradeRule } from '../rule.ts';

const RULE_ID = 'stashes';

/**
 * Upgrade rule for silences that are stored as stashes (reference 9.1, completion 1.19). Such stashes have no effect on
 * newer backends, so they are converted to silences.
 */
export const silenceStashes: UpgradeRule = {
  id: RULE_ID,
  title: 'Silence stashes become silences',
  applies: (_path, { silence_stashes: stashes }) => stashes !== undefined && stashes.total > 0,
  evaluate({ silence_stashes: stashes }) {
    if (stashes === undefined || stashes.total === 0) return passFinding('there are no silence stashes');
    const { total, unclear, unready } = stashes;
    const evidence = [`${String(total)} stashes under silence/`];
    if (unclear.length > 0) evidence.push(`not recognized: ${namesText(unclear)}`);
    if (unready.length > 0) {
      return blockFinding(
        [...evidence, `without their own subscription, or older than 0.26: ${namesText(unready)}`],
        ['upgrade these clients first: silences for them would match nothing'],
      );
    }
    return warnFinding(evidence, ['preview the conversion: monctl migrate stashes']);
  },
  steps: ({ product, silence_stashes: stashes }) =>
    stashes === undefined || stashes.total === 0
      ? []
      : [
          {
            id: 'migrate-stashes',
            phase: 'prepare',
            rule: RULE_ID,
            title: `Convert into silences: ${String(stashes.total)} stashes`,
            details: ['Each stash is deleted only after its entry exists. Dashboards come after that (reference 9.1).'],
            ...(product === 'mon'
              ? { kind: 'action', action: 'migrate-stashes' }
              : { kind: 'manual', commands: ['monctl migrate stashes --apply'], check: `rule:${RULE_ID}` }),
          },
        ],
};
