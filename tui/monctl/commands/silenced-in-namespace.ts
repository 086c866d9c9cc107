import type { V2Object } from '../../../shared/client/v2-client.ts';
import { safeText } from '../../../shared/domain/terminal-text.ts';
import { MonError } from '../../../shared/errors.ts';
import type { SilencedView } from '../../../shared/schemas/silenced.ts';
import { carryOut } from '../change.ts';
import type { Call } from '../command.ts';
import { flagAt, inNamespace, nameOf, numberAt, textAt } from '../v2-object.ts';
import { listPath, namespaceOf, namespacesOf } from '../namespaces.ts';
import { toYaml } from '../output.ts';
import { EXPIRE_NEVER } from '../../../shared/schemas/expiry.ts';

/** A silence of the newer API as a row of the list. */
export interface SilencedInNamespace {
  readonly namespace: string;
  readonly view: SilencedView;
  /** Epoch seconds; null: never. */
  readonly endsAt: number | null;
  readonly entry: V2Object;
}

export async function fetchInNamespaces(call: Call): Promise<readonly SilencedInNamespace[]> {
  const all = await call.core().list(listPath(namespacesOf(call), 'silenced'));
  return all.map((entry) => listedOf(entry, call.nowMs));
}

export async function showInNamespace(call: Call): Promise<void> {
  const id = (call.operands[0] ?? '').replace(/^client:/, 'entity:');
  const entry = await call.core().find(pathOf(call, id));
  if (entry === undefined) throw noSuch(call, id);
  const text = await toYaml(entry);
  await call.output.show(entry, () => text);
}

/** What is silenced, by the names of the older API: `client:NAME` is `entity:NAME` there. */
export interface SilenceOrder {
  readonly check?: string | undefined;
  readonly subscription?: string | undefined;
  readonly expire?: number | undefined;
  readonly begin?: number | undefined;
  readonly expire_on_resolve?: boolean | undefined;
  readonly reason?: string | undefined;
  readonly creator?: string | undefined;
}

/** Replaces the entry with the same check and subscription, as `silenced create` always does. */
export async function createInNamespace(call: Call, order: SilenceOrder): Promise<void> {
  const namespace = namespaceOf(call);
  const subscription = order.subscription?.replace(/^client:/, 'entity:');
  const name = `${subscription ?? '*'}:${order.check ?? '*'}`;
  const entry = { metadata: { name, namespace }, ...order, ...(subscription !== undefined && { subscription }) };
  await carryOut(call, {
    send: (_api, core) => core.put(pathOf(call, name), entry),
    effects: () => Promise.resolve([`${name} would be silenced in ${namespace}`]),
    done: () => call.output.show({ id: name, ...entry }, () => safeText(`silenced ${name}`)),
  });
}

export async function clearInNamespace(call: Call, id: string): Promise<void> {
  const name = id.replace(/^client:/, 'entity:');
  const namespace = namespaceOf(call);
  await carryOut(call, {
    async send(_api, core) {
      if (!(await core.remove(pathOf(call, name)))) throw noSuch(call, name);
    },
    effects: () => Promise.resolve([`the silenced entry ${name} of the namespace ${namespace} would end`]),
    question: `clear ${name}`,
    done: () => call.output.show({ namespace, id: name, cleared: true }, () => safeText(`cleared ${name}`)),
  });
}

function listedOf(entry: V2Object, nowMs: number): SilencedInNamespace {
  const endsAt = numberAt(entry, 'expire_at') || null;
  const begin = numberAt(entry, 'begin') ?? null;
  return {
    namespace: inNamespace(entry),
    entry,
    endsAt,
    view: {
      id: nameOf(entry),
      subscription: textAt(entry, 'subscription') || null,
      check: textAt(entry, 'check') || null,
      reason: textAt(entry, 'reason') || null,
      creator: textAt(entry, 'creator') || null,
      begin,
      expire_on_resolve: flagAt(entry, 'expire_on_resolve'),
      timestamp: begin ?? 0,
      expire: endsAt === null ? EXPIRE_NEVER : Math.max(0, Math.round(endsAt - nowMs / 1000)),
    },
  };
}

function pathOf(call: Call, name: string): readonly string[] {
  return [...listPath(namespaceOf(call), 'silenced'), name];
}

function noSuch(call: Call, id: string): MonError {
  const namespace = namespaceOf(call);
  return new MonError(
    'not_found',
    `there is no silenced entry ${id} in ${namespace}: see monctl silenced list --namespace ${namespace}`,
  );
}
