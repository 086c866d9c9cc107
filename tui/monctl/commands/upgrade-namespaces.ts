import { switchOption, valueOption } from '../flags.ts';
import type { V2Client } from '../../../shared/client/v2-client.ts';
import { safeText } from '../../../shared/domain/terminal-text.ts';
import { fixCommand, namespaceFixes, orphansOf, type NamespaceFix } from '../../../shared/domain/plan/orphans.ts';
import { wordsOf } from '../../../shared/domain/plan/product-words.ts';
import { MonError } from '../../../shared/errors.ts';
import type { UpgradeFacts } from '../../../shared/schemas/plan.ts';
import { DELETE_OPTIONS, promptForConfirmation } from '../change.ts';
import type { CommandCall, Command } from '../command.ts';
import { countedNoun } from '../counted-noun.ts';
import { ExitError } from '../exit-codes.ts';
import { clusterV2 } from '../upgrade/cluster-login.ts';
import { readDump } from '../upgrade/dump.ts';
import { liveFacts } from '../upgrade/gather-facts.ts';
import { EXIT_CODES } from '../../words/exit-codes.ts';

/**
 * The command `monctl upgrade fix-namespaces`, which deletes checks whose namespace does not exist (reference 9.3,
 * 6.2.0).
 */
export const fixNamespacesCommand: Command = {
  words: ['upgrade', 'fix-namespaces'],
  summary: 'Delete checks whose namespace does not exist, because such checks break the upgrade to 6.2.0',
  details: [
    'Such checks cannot be deleted directly. For each missing namespace, the command creates the namespace, deletes its checks, and deletes the namespace again.',
    'Without --apply, the command only shows what it would do. With --apply, it asks before each step; if you decline a step, the other steps for that namespace are skipped, and the exit code is 9.',
    'To keep the checks, create the namespace instead: "monctl namespace create NAME".',
  ],
  options: {
    dump: valueOption('FILE', 'read the checks from this dump instead of the backend', { completes: 'file' }),
    apply: switchOption('apply the steps instead of only showing them'),
    'skip-confirm': DELETE_OPTIONS['skip-confirm'],
  },
  examples: [
    ['monctl upgrade fix-namespaces', 'preview'],
    ['monctl upgrade fix-namespaces --apply', 'apply, step by step'],
  ],
  async run(call) {
    const { orphans, product } = await findOrphans(call);
    const fixes = [...namespaceFixes(orphans)];
    const { tool } = wordsOf({ product });
    const commands = fixes.map((fix) => fixCommand(fix, tool));
    if (call.flags.switch('apply') !== true || fixes.length === 0) {
      await call.output.show({ applied: false, steps: commands }, () => safeText(dryRunText(commands)));
      return;
    }
    const v2 = product === 'cluster' ? await clusterV2(call) : call.v2();
    const left = await applyAll(call, v2, fixes, tool);
    const done = commands.length - left.length;
    await call.output.show({ applied: true, done, left }, () => safeText(`${countedNoun(done, 'steps')} done`));
    if (left.length > 0) throw new ExitError(EXIT_CODES.incomplete, `skipped: ${left.join('; ')}`);
  },
};

function dryRunText(commands: readonly string[]): string {
  if (commands.length === 0) return 'the namespace of every check exists: there is nothing to fix';
  return [...commands, 'nothing was changed: add --apply to apply it'].join('\n');
}

/**
 * Returns the checks whose namespace does not exist, from the backend or from the file of `--dump`.
 *
 * @throws MonError `forbidden` when the namespaces or checks cannot be listed, `invalid` for a dump that cannot be read
 */
async function findOrphans(
  call: CommandCall,
): Promise<{ readonly orphans: NonNullable<ReturnType<typeof orphansOf>> } & Pick<UpgradeFacts, 'product'>> {
  const file = call.flags.value('dump');
  const facts = file === undefined ? await liveFacts(call) : { ...(await factsOfDump(file)), product: 'mon' as const };
  const orphans = orphansOf(facts);
  if (orphans !== undefined) return { orphans, product: facts.product };
  throw new MonError(
    'forbidden',
    'namespaces and checks cannot be listed: use credentials that may read all namespaces and checks',
  );
}

async function factsOfDump(file: string): Promise<Pick<UpgradeFacts, 'namespaces' | 'checks'>> {
  const { dump, facts } = await readDump(file);
  if (dump.problem !== null) throw new MonError('invalid', dump.problem);
  return facts.facts(null);
}

/**
 * Applies the fixes after a confirmation for each.
 *
 * @returns the fixes that were not applied, as commands
 */
async function applyAll(
  call: CommandCall,
  v2: V2Client,
  fixes: readonly NamespaceFix[],
  tool: string,
): Promise<readonly string[]> {
  const left: string[] = [];
  const declined = new Set<string>();
  for (const fix of fixes) {
    const command = fixCommand(fix, tool);
    const isDone =
      !declined.has(fix.namespace) && (await promptForConfirmation(call, command)) && (await applyFix(call, v2, fix));
    if (isDone) call.output.note(`done: ${command}`);
    else {
      declined.add(fix.namespace);
      left.push(command);
    }
  }
  return left;
}

/**
 * Applies one fix.
 *
 * @returns `false` if a namespace was not deleted, because it contains other objects
 */
async function applyFix(call: CommandCall, v2: V2Client, fix: NamespaceFix): Promise<boolean> {
  switch (fix.kind) {
    case 'create-namespace':
      await v2.put(['namespaces', fix.namespace], { name: fix.namespace });
      return true;
    case 'delete-check':
      await v2.remove(['namespaces', fix.namespace, 'checks', fix.name]);
      return true;
    default:
      try {
        await v2.remove(['namespaces', fix.namespace]);
        return true;
      } catch (error) {
        if (!(error instanceof MonError) || error.code !== 'invalid') throw error;
        call.output.warn(`${fix.namespace} stays: ${error.message}`);
        return false;
      }
  }
}
