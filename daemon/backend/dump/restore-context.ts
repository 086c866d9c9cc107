import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { isBeyondLimit } from '../../../shared/domain/entity-limit.ts';
import type { Lost } from '../../../shared/domain/v2/import-losses.ts';
import type { Wrapped } from '../../../shared/domain/v2/wrapped-object.ts';
import type { Restored } from '../../../shared/schemas/restore.ts';
import type { Definitions } from '../model/config/definitions.ts';
import type { ApiCommands } from '../audit/api-commands.ts';
import type { EntityLimit } from '../model/clients/entity-limit.ts';
import type { RoleGuard } from '../access/role-guard.ts';
import type { Transaction } from '../model/transaction/transaction.ts';

/** The context of restoring one object. */
export interface Restoring {
  readonly transaction: Transaction;
  /** Name of the user who restores. */
  readonly by: string;
  /** True if only the outcome shall be reported. */
  readonly isDryRun: boolean;
  /** Objects that would exist by then, in a dry run; see `restoreKey`. */
  readonly assumed: Set<string>;
  /** Number of entities that would exist by then, in a dry run. */
  assumedEntities: number;
  readonly definitions: Definitions;
  readonly commands: ApiCommands;
  readonly roles: RoleGuard;
  readonly entityLimit: EntityLimit;
  /** The user of the configuration, who has all rights. */
  readonly configuredUser: string | undefined;
  /** Maximum number of silenced entries in one namespace. */
  readonly silencesMax: number;
}

/**
 * Returns the value of `mon` unchanged: a schema would reorder its names.
 *
 * @returns undefined if it does not match the schema
 */
export function exactly<Exact>(schema: z.ZodType<Exact>, { spec }: Wrapped): Exact | undefined {
  return schema.safeParse(spec['mon']).success ? (spec['mon'] as Exact) : undefined;
}

/**
 * True if an entity would be new and exceed the limit, including entities that a dry run would have created by then.
 */
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
 * Returns the outcome for an object that can be restored, and stores it.
 *
 * @param before the present state; undefined: there is none
 * @param save called if the states differ and it is no dry run
 */
export function settle<State>(
  { isDryRun }: Pick<Restoring, 'isDryRun'>,
  states: { readonly before: State | undefined; readonly after: State },
  save: () => void,
  lost: readonly Lost[] = [],
): Restored {
  const { before, after } = states;
  const lossReport = lost.length === 0 ? {} : { lost };
  if (before !== undefined && isSame(before, after)) return { outcome: 'unchanged', ...lossReport };
  if (!isDryRun) save();
  return { outcome: before === undefined ? 'created' : 'replaced', ...lossReport };
}

/** Compares as JSON, so that undefined equals absent. */
function isSame(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(plain(a), plain(b));
}

/**
 * True if the rest of an object matches its exact state. If not, the rest was edited since, or the dump is of another
 * version, and then the rest counts.
 */
export function isFaithful({ metadata, spec }: Wrapped, shown: Wrapped): boolean {
  return isSame({ metadata, spec: withoutExact(spec) }, { metadata: shown.metadata, spec: withoutExact(shown.spec) });
}

/** The loss that is reported if the exact state of an object was ignored. */
export const EXACT_LOST: Lost = {
  attribute: 'mon',
  reason: 'the object was edited after the dump: this exact copy is ignored, and what only it contains is lost',
};

export function withoutExact(spec: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { ...spec, mon: undefined };
}

function plain(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
