import { hash } from 'node:crypto';
import type { RunningHandler } from '../../../../shared/schemas/handler.ts';
import type { MutatorDefinition } from '../../../../shared/schemas/mutator.ts';

/** Returns a digest of the definitions of a handler and its mutator. Equal definitions have the same digest. */
export function definitionDigest(handler: RunningHandler, mutator: MutatorDefinition | undefined): string {
  return hash('sha256', JSON.stringify([handler, mutator ?? null], sortNames), 'base64url');
}

/** Sorts the attributes of an object by name, because configuration files can list them in any order. */
function sortNames(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
