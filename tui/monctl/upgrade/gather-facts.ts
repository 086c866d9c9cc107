import { openUpgradeClient } from '../../../shared/client/plan-client.ts';
import { MonError } from '../../../shared/errors.ts';
import type { OperatorFacts } from '../../../shared/schemas/plan-run.ts';
import { ATTESTABLE_FACTS, type UpgradeFacts } from '../../../shared/schemas/plan.ts';
import type { CommandCall } from '../command.ts';
import { readCertificate } from './certificates.ts';
import { clusterFacts } from './cluster-facts.ts';
import { readDump, type DumpReading } from './dump.ts';
import { installPathsOf, detectInstallation } from './installation.ts';
import { readSnapshot } from './snapshot.ts';
import { withoutUndefined } from '../../../shared/domain/without-undefined.ts';
import { switchOption, valueOption, type CommandOption, type Flags } from '../flags.ts';

/** Entity limit of Sensu Go without a license (reference 8). */
const FREE_ENTITIES = 100;

/** Options for facts that only the operator knows. */
export const OPERATOR_FACT_OPTIONS = {
  dump: valueOption('FILE', 'read the data from this dump file, not from the cluster', { completes: 'file' }),
  snapshot: valueOption('FILE', 'read facts from this snapshot of the embedded key-value store', { completes: 'file' }),
  certificate: valueOption('FILE,...', 'check these certificate files of backends and agents', { completes: 'file' }),
  accept: valueOption('LIST', `do not block on these findings: ${ATTESTABLE_FACTS.join(', ')}`, {
    completes: ATTESTABLE_FACTS,
  }),
} as const satisfies Readonly<Record<string, CommandOption>>;

/** Options for facts that a cluster of Sensu Go does not report. */
export const CLUSTER_OPTIONS = {
  offline: switchOption('do not contact a backend; use only the dump'),
  'event-store': valueOption('key-value|relational', 'where the cluster stores events', {
    completes: ['key-value', 'relational'],
  }),
  'key-value-store': valueOption('embedded|external', 'where the key-value store (etcd) runs', {
    completes: ['embedded', 'external'],
  }),
  'event-rows': valueOption('N', 'number of events in the relational database'),
  'entity-limit': valueOption('N|unlimited', `entity limit of the license; default ${String(FREE_ENTITIES)}`),
} as const satisfies Readonly<Record<string, CommandOption>>;

/** Returns the facts that the options contain, for an upgrade plan that the backend runs. */
export async function readOperatorFacts(call: CommandCall): Promise<OperatorFacts> {
  const dump = await dumpOf(call);
  return { ...(await readFactsWithoutDump(call)), ...withoutUndefined({ dump: dump?.dump }) };
}

/**
 * Collects all known facts about an installation: from its backend, or with `--offline` only from a dump, and from the
 * options.
 *
 * @throws MonError `invalid` for an invalid value of an option, and the errors of failed requests
 */
export async function gatherFacts(call: CommandCall): Promise<UpgradeFacts> {
  const dump = await dumpOf(call);
  const live = call.flags.switch('offline') === true ? offlineFacts(call, dump) : await liveFacts(call);
  const operatorFacts = await readFactsWithoutDump(call);
  const installation = live.product === 'mon' ? {} : await installationOf(call);
  return {
    ...live,
    ...installation,
    ...clusterOptions(call),
    ...operatorFacts,
    ...withoutUndefined({ dump: dump?.dump }),
    attested: operatorFacts.attested ?? [],
  };
}

/** Fetches the facts about the installation from its backend, which may be mon or a Sensu Go cluster. */
export async function liveFacts(call: CommandCall): Promise<UpgradeFacts> {
  const own = await openUpgradeClient({ backend: call.backend, env: call.credentials }).facts();
  return own ?? (await clusterFacts(call, entityLimit(call)));
}

function offlineFacts(call: CommandCall, dump: DumpReading | undefined): UpgradeFacts {
  if (dump === undefined) throw new MonError('invalid', '--offline needs --dump FILE');
  return {
    product: 'cluster',
    taken_at: Math.floor(call.nowMs / 1000),
    ...dump.facts.facts(entityLimit(call)),
    attested: [],
  };
}

async function dumpOf({ flags }: CommandCall): Promise<DumpReading | undefined> {
  const file = flags.value('dump');
  return file === undefined ? undefined : await readDump(file);
}

async function readFactsWithoutDump({ flags }: CommandCall): Promise<Omit<OperatorFacts, 'dump'>> {
  const [snapshot, certificates, accepted] = [flags.value('snapshot'), flags.list('certificate'), flags.list('accept')];
  return withoutUndefined({
    snapshot: snapshot === undefined ? undefined : await readSnapshot(snapshot),
    certificates: certificates && (await Promise.all(certificates.map((file) => readCertificate(file)))),
    attested: accepted?.map((name) => oneOf(name, 'accept', ATTESTABLE_FACTS)),
  });
}

/**
 * Detects the installation on this machine, which is the installation of the backend only if monctl runs on the same
 * machine. With `--offline` nothing is detected.
 */
async function installationOf({ flags, env }: CommandCall): Promise<Pick<UpgradeFacts, 'install' | 'state_dir'>> {
  return flags.switch('offline') === true
    ? {}
    : await detectInstallation(env['PATH'] ?? '', installPathsOf({ product: 'cluster' }));
}

function clusterOptions({ flags }: CommandCall): Partial<UpgradeFacts> {
  return withoutUndefined({
    event_store: readChoice(flags, 'event-store', ['key-value', 'relational'] as const),
    key_value_store: readChoice(flags, 'key-value-store', ['embedded', 'external'] as const),
    event_rows: flags.number('event-rows', 0),
  });
}

function entityLimit({ flags }: CommandCall): number | null {
  if (flags.value('entity-limit') === 'unlimited') return null;
  return flags.number('entity-limit', 0) ?? FREE_ENTITIES;
}

function readChoice<Name extends string>(flags: Flags, option: string, names: readonly Name[]): Name | undefined {
  const value = flags.value(option);
  return value === undefined ? undefined : oneOf(value, option, names);
}

/**
 * Returns the value of an option if it is one of the allowed names.
 *
 * @throws MonError `invalid` for any other value
 */
function oneOf<Name extends string>(value: string, option: string, names: readonly Name[]): Name {
  const match = names.find((name) => name === value);
  if (match !== undefined) return match;
  throw new MonError('invalid', `--${option} must be ${names.join(' or ')}, not ${JSON.stringify(value)}`);
}
