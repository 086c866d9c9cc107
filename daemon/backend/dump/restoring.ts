import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { isBeyondLimit } from '../../../shared/domain/entity-limit.ts';
import type { Lost } from '../../../shared/domain/v2/lost.ts';
import type { Wrapped } from '../../../shared/domain/v2/wrapped.ts';
import type { Restored } from '../../../shared/schemas/restore.ts';
import type { Definitions } from '../config/definitions.ts';
import type { ApiCommands } from '../audit/api-commands.ts';
import type { EntityLimit } from '../clients/entity-limit.ts';
import type { RoleGuard } from '../access/role-guard.ts';
import type { Transaction } from '../commit/transaction.ts';

/** What restoring one object works with. */
export interface Restoring {
  readonly transaction: Transaction;
  /** Who restores. */
  readonly by: string;
  /** Only say what would become of it. */
  readonly isDryRun: boolean;
  /** What would be there by then although it is not, in a dry run; see `restoreKey`. */
  readonly assumed: Set<string>;
  /** How many entities there would be by then that are not there, in a dry run. */
  assumedEntities: number;
  readonly definitions: Definitions;
  readonly commands: ApiCommands;
  readonly roles: RoleGuard;
  readonly entityLimit: EntityLimit;
  /** The user of the configuration, who may do everything. */
  readonly configuredUser: string | undefined;
  /** Most silenced entries in one namespace. */
  readonly silencesMax: number;
}

/**
 * What stands under `mon`, as it is: a schema would put its names into another order.
 *
 * @returns undefined when it is not of that shape
 */
export function exactly<Exact>(schema: z.ZodType<Exact>, { spec }: Wrapped): Exact | undefined {
  return schema.safeParse(spec['mon']).success ? (spec['mon'] as Exact) : undefined;
}

/** Whether an entity would be new and one too many, also after what a dry run would have made by then. */
export function isBeyondEntities(
  { transaction, entityLimit, assumedEntities }: Restoring,
  namespace: string,
  name: string,
): boolean {
  const { registry } = transaction;
  if (registry.hasNamespace(namespace) && registry.namespace(namespace).clients.has(name)) return false;
  const usage = entityLimit.usage();
  return isBeyondLimit({ ...usage, total: usage.total + assumedEntities });
}

export function skipped(reason: string): Restored {
  return { outcome: 'skipped', reason };
}

/**
 * What becomes of an object that can be carried over, and makes it so.
 *
 * @param before what is there now; undefined: nothing
 * @param save called where that differs and it is no dry run
 */
export function settle<State>(
  { isDryRun }: Pick<Restoring, 'isDryRun'>,
  states: { readonly before: State | undefined; readonly after: State },
  save: () => void,
  lost: readonly Lost[] = [],
): Restored {
  const { before, after } = states;
  const told = lost.length === 0 ? {} : { lost };
  if (before !== undefined && isSame(before, after)) return { outcome: 'unchanged', ...told };
  if (!isDryRun) save();
  return { outcome: before === undefined ? 'created' : 'replaced', ...told };
}

/** Equal as JSON: what is undefined is absent. */
function isSame(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(plain(a), plain(b));
}

/**
 * Whether the rest of an object is what its exact state would be shown as. If not, somebody changed the rest since, or the
 * dump is of another version, and then the rest counts.
 */
export function isFaithful({ metadata, spec }: Wrapped, shown: Wrapped): boolean {
  return isSame({ metadata, spec: withoutExact(spec) }, { metadata: shown.metadata, spec: withoutExact(shown.spec) });
}

/** Said of an object whose exact state did not count. */
export const EXACT_LOST: Lost = {
  attribute: 'mon',
  reason: 'the rest of the object was changed since it was dumped, and counts: what only stands here is lost',
};

export function withoutExact(spec: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { ...spec, mon: undefined };
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
