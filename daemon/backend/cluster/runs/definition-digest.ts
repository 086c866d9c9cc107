import { hash } from 'node:crypto';
import type { RunningHandler } from '../../../../shared/schemas/handler.ts';
import type { MutatorDefinition } from '../../../../shared/schemas/mutator.ts';

/** Identifies the definition of a handler together with that of its mutator, on any backend. */
export function definitionDigest(handler: RunningHandler, mutator: MutatorDefinition | undefined): string {
  return hash('sha256', JSON.stringify([handler, mutator ?? null], sortNames), 'base64url');
}

/** Sorts attributes, because configurations may list them in any order. */
function sortNames(_name: string, value: unknown): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  return Object.fromEntries(Object.entries(value).toSorted(([one], [other]) => (one < other ? -1 : 1)));
}
