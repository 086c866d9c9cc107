import { pruneFilter, type PruneSelection } from '../../../shared/domain/prune.ts';
import { MonError } from '../../../shared/errors.ts';
import type { AuditHead } from '../../../shared/schemas/audit.ts';
import { boundedAuditValue } from '../../../shared/domain/audit.ts';
import { MAIN_SHARD } from '../store/main-shard.ts';
import type { Change, Key, Lease, Store, StoreOp } from '../ports.ts';
import { AuditChain } from '../model/audit/state.ts';
import { AUDIT_HEAD_KEY, auditKey } from '../model/audit/storage.ts';
import { CHECK_RECORDS } from '../model/events/storage.ts';
import { AGENT_SPOOLS } from '../model/results/storage.ts';
import { datedCheckRecord } from '../model/events/check-record.ts';
import { datedClient } from '../model/clients/client-record.ts';
import { clientKey, CLIENTS, CLIENT_BANS, TOMBSTONES } from '../model/clients/storage.ts';
import { readAnchor } from '../model/schedule/time-anchor.ts';
import { openStore, shownLocation, type StoreLocation } from '../store/open-store.ts';
import type { CommandDependencies } from '../store/upgrade/upgrade-command.ts';
import { NO_CORRECTIONS, type Corrections } from '../../clock/corrections.ts';

export interface PruneFlags extends PruneSelection {
  readonly skipConfirm: boolean;
  readonly dryRun: boolean;
}

/** Maximum number of clients that are removed in one commit. */
const SLICE_CLIENTS = 200;
/** Maximum number of client names that the command prints. */
const NAMED_CLIENTS_MAX = 10;

type ClientKey = readonly [namespace: string, name: string];

/**
 * Implements `mon-backend prune`: removes clients with their results and events, in batches, from a store that no
 * backend has open. It reads the store sequentially and retains only names in memory, so it works on a store that is
 * too large for a backend to load. No handler is notified of the removed events.
 *
 * @throws MonError `invalid` if no criterion is set, `conflict` if a backend has the store open, `unavailable` if the
 *   operator declines or the disk fails
 */
export async function pruneCommand(
  location: StoreLocation,
  flags: PruneFlags,
  parts: CommandDependencies,
): Promise<void> {
  const { olderThan, name, namespace } = flags;
  if (olderThan === undefined && name === undefined && namespace === undefined) {
    throw new MonError('invalid', 'select clients: use --older-than DURATION, --name PATTERN or --namespace NAME');
  }
  const store = await openStore(location);
  try {
    const { selectedClients, clients } = await findClients(store, flags, parts);
    parts.print(describeSelection(selectedClients, clients));
    if (flags.dryRun || selectedClients.length === 0) return;
    const question = `Are you sure you want to delete ${clientCountText(selectedClients.length)} from ${shownLocation(location)}, with their results and events?`;
    if (!flags.skipConfirm && !(await parts.ask(question))) {
      throw new MonError('unavailable', 'prune aborted by operator');
    }
    await removeAll(store, selectedClients, parts);
    parts.print(`deleted ${clientCountText(selectedClients.length)}\n`);
  } finally {
    await store.close();
  }
}

async function findClients(
  store: Store,
  selection: PruneSelection,
  { clock, stop: { signal } }: CommandDependencies,
): Promise<{ readonly selectedClients: readonly ClientKey[]; readonly clients: number }> {
  const corrections = (await readAnchor(store))?.corrections ?? NO_CORRECTIONS;
  const isSelected = pruneFilter(selection, Math.floor(clock.now() / 1000));
  const selectedClients: ClientKey[] = [];
  let clients = 0;
  for await (const [[, namespace = '', name = ''], value] of store.scan([CLIENTS.prefix])) {
    signal.throwIfAborted();
    clients++;
    const lastSeen = datedClient(value, corrections).client.timestamp;
    // The name is copied, because a substring of a key would keep the whole key in memory.
    const client = { namespace: String(namespace), name: Buffer.from(String(name)).toString(), lastSeen };
    if (!isSelected(client)) continue;
    // Proxy clients have no keepalives, so the time of their newest result is considered, too.
    const newest = selection.olderThan === undefined ? 0 : await newestResult(store, client, corrections);
    if (isSelected({ ...client, lastSeen: Math.max(lastSeen, newest) }))
      selectedClients.push([client.namespace, client.name]);
  }
  return { selectedClients, clients };
}

/** Returns the execution time of a client's newest result in epoch seconds; 0 if it has no results. */
async function newestResult(
  store: Store,
  { namespace, name }: { readonly namespace: string; readonly name: string },
  corrections: Corrections,
): Promise<number> {
  let newest = 0;
  for await (const [, value] of store.scan([CHECK_RECORDS.prefix, namespace, name])) {
    newest = Math.max(newest, datedCheckRecord(value, corrections).check?.executed ?? 0);
  }
  return newest;
}

async function removeAll(
  store: Store,
  selectedClients: readonly ClientKey[],
  parts: CommandDependencies,
): Promise<void> {
  const lease = await store.acquire(MAIN_SHARD, LEASE_MS);
  const audit = new AuditChain({ auditLimit: Infinity });
  const [head] = await store.getMany([AUDIT_HEAD_KEY]);
  audit.load(head === undefined ? undefined : (JSON.parse(head) as AuditHead));
  for (let start = 0; start < selectedClients.length; start += SLICE_CLIENTS) {
    parts.stop.signal.throwIfAborted();
    await removeSlice({ store, lease, audit }, selectedClients.slice(start, start + SLICE_CLIENTS), parts.clock.now());
  }
  await lease.release();
}

/** Duration of the lease. Any value suffices, because no other process can have the store open at the same time. */
const LEASE_MS = 30_000;

async function removeSlice(
  { store, lease, audit }: { readonly store: Store; readonly lease: Lease; readonly audit: AuditChain },
  slice: readonly ClientKey[],
  nowMs: number,
): Promise<void> {
  const ops: StoreOp[] = [];
  const changes: Change[] = [];
  const del = (key: Key): void => void ops.push({ type: 'del', key });
  for (const [namespace, name] of slice) {
    for await (const [key] of store.scan([CHECK_RECORDS.prefix, namespace, name])) {
      del(key);
      changes.push(['event', namespace, name, String(key.at(-1))]);
    }
    del(clientKey(namespace, name));
    for (const { prefix } of [AGENT_SPOOLS, CLIENT_BANS, TOMBSTONES]) del([prefix, namespace, name]);
    changes.push(['client', namespace, name]);
  }
  const { record } = audit.append(
    {
      who: 'mon',
      from: null,
      how: 'mon-backend prune',
      action: 'bulk',
      target: `${String(slice.length)} operations`,
      before: null,
      after: boundedAuditValue(
        slice.map(([namespace, name]) => ({ action: 'client.delete', target: `${namespace}/${name}` })),
      ),
      reason: null,
    },
    nowMs,
  );
  ops.push({ type: 'put', key: auditKey(record.id), value: JSON.stringify(record) });
  ops.push({ type: 'put', key: AUDIT_HEAD_KEY, value: JSON.stringify(audit.head) });
  await store.write(lease, ops, changes);
}

function describeSelection(selectedClients: readonly ClientKey[], clients: number): string {
  const names = selectedClients.slice(0, NAMED_CLIENTS_MAX).map(([namespace, name]) => `  ${namespace}/${name}\n`);
  const more =
    selectedClients.length > NAMED_CLIENTS_MAX
      ? `  and ${(selectedClients.length - NAMED_CLIENTS_MAX).toLocaleString('en')} more\n`
      : '';
  return `${clientCountText(selectedClients.length)} of ${clients.toLocaleString('en')} match\n${names.join('')}${more}`;
}

function clientCountText(clients: number): string {
  return clients === 1 ? '1 client' : `${clients.toLocaleString('en')} clients`;
}
