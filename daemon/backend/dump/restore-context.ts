import { isDeepStrictEqual } from 'node:util';
import type { z } from 'zod';
import { isBeyondLimit } from '../../../shared/domain/entity-limit.ts';
import type { LostAttribute } from '../../../shared/domain/v2/import-losses.ts';
import type { WrappedObject } from '../../../shared/domain/v2/wrapped-object.ts';
import type { RestoreResult } from '../../../shared/schemas/restore.ts';
import type { Definitions } from '../model/config/definitions.ts';
import type { ApiCommands } from '../audit/api-commands.ts';
import type { EntityLimit } from '../model/clients/entity-limit.ts';
import type { RoleGuard } from '../access/role-guard.ts';
import type { Transaction } from '../model/transaction/transaction.ts';

/** The context in which the objects of one request are restored. */
export interface RestoreContext {
  readonly transaction: Transaction;
  /** Name of the user who requested the restore. */
  readonly by: string;
  /** True if outcomes are only reported and nothing is changed. */
  readonly isDryRun: boolean;
  /** Dry run only: keys from `restoreKey` of objects that an actual restore would have created by now. */
  readonly assumed: Set<string>;
  /** Dry run only: number of entities that an actual restore would have created by now. */
  assumedEntities: number;
  readonly definitions: Definitions;
  readonly commands: ApiCommands;
  readonly roles: RoleGuard;
  readonly entityLimit: EntityLimit;
  /** Name of the user in the configuration file, who has all rights; undefined if there is none. */
  readonly configuredUser: string | undefined;
  /** Maximum number of silences in one namespace. */
  readonly silencesMax: number;
}

/**
 * Returns the exact copy of the state, which a dumped object has in its attribute `mon`. The copy is returned unparsed,
 * because the output of the schema would have another order of attributes.
 *
 * @returns the exact copy; undefined if the attribute does not match the schema
 */
export function exactCopyOf<Exact>(schema: z.ZodType<Exact>, { spec }: WrappedObject): Exact | undefined {
  return schema.safeParse(spec['mon']).success ? (spec['mon'] as Exact) : undefined;
}

/**
 * True if an entity is new and exceeds the entity limit. In a dry run, entities that an actual restore would have
 * created by now are counted, too.
 */
export function exceedsEntityLimit(
  { transaction, entityLimit, assumedEntities }: RestoreContext,
  namespace: string,
  name: string,
): boolean {
  const { registry } = transaction;
  if (registry.hasNamespace(namespace) && registry.namespace(namespace).clients.has(name)) return false;
  const usage = entityLimit.usage();
  return isBeyondLimit({ ...usage, total: usage.total + assumedEntities });
}

export function skippedResult(reason: string): RestoreResult {
  return { outcome: 'skipped', reason };
}

/**
 * Stores an object that can be restored, and returns its outcome. If the object is unchanged or this is a dry run,
 * nothing is stored.
 *
 * @param states `before`: current state, undefined if the object does not exist; `after`: state in the dump
 * @param save callback that stores the state
 * @param lost attributes of the file that are not restored
 */
export function restoreState<State>(
  { isDryRun }: Pick<RestoreContext, 'isDryRun'>,
  states: { readonly before: State | undefined; readonly after: State },
  save: () => void,
  lost: readonly LostAttribute[] = [],
): RestoreResult {
  const { before, after } = states;
  const lossReport = lost.length === 0 ? {} : { lost };
  if (before !== undefined && isSameJson(before, after)) return { outcome: 'unchanged', ...lossReport };
  if (!isDryRun) save();
  return { outcome: before === undefined ? 'created' : 'replaced', ...lossReport };
}

/** Compares two values as JSON, so that an undefined attribute equals an absent attribute. */
function isSameJson(a: unknown, b: unknown): boolean {
  return isDeepStrictEqual(toPlainJson(a), toPlainJson(b));
}

/**
 * True if the attributes of a dumped object besides `mon` match its exact copy in `mon`. If they differ, the object was
 * edited after the dump or was dumped by another version, so the exact copy must be ignored.
 *
 * @param shown the object as a dump would contain it, made from the exact copy
 */
export function matchesExactCopy({ metadata, spec }: WrappedObject, shown: WrappedObject): boolean {
  return isSameJson(
    { metadata, spec: omitExactState(spec) },
    { metadata: shown.metadata, spec: omitExactState(shown.spec) },
  );
}

/** The lost attribute that a restore reports if it ignored the exact copy in an object. */
export const EXACT_LOST: LostAttribute = {
  attribute: 'mon',
  reason: 'the object was edited after the dump: this exact copy is ignored, and what only it contains is lost',
};

export function omitExactState(spec: Readonly<Record<string, unknown>>): Readonly<Record<string, unknown>> {
  return { ...spec, mon: undefined };
}

function toPlainJson(value: unknown): unknown {
  return value === undefined ? undefined : JSON.parse(JSON.stringify(value));
}
