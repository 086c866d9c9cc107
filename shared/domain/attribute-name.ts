import { isRedactedByDefault } from './redact.ts';

/** The object to which an attribute belongs. */
export type AttributeOwner = 'client' | 'check';

/** An attribute as users name it: `client.rack`, `check.team`, or `rack` for one of the client or the check. */
export interface AttributeName {
  readonly owners: readonly AttributeOwner[];
  /** The name without its owner; a path with dots for a nested attribute. */
  readonly attribute: string;
}

/** Matches the name of an attribute, also of a nested one: `env`, `labels.app.kubernetes.io/name`. */
export const ATTRIBUTE_NAME = /^[a-z_](?:[\w./-]*\w)?/i;

/** Attributes that change with each result, so they say nothing about the client or the check itself. */
export const UNSTABLE_ATTRIBUTES: ReadonlySet<string> = new Set([
  'status',
  'state',
  'output',
  'duration',
  'executed',
  'issued',
  'history',
  'occurrences',
  'occurrences_watermark',
  'total_state_change',
  'action',
  'flapping',
  'age',
  'last',
  'since',
  'last_ok',
  'last_seen',
  'last_state_change',
  'timestamp',
  'is_silenced',
  'silenced',
  'silenced_by',
]);

const BOTH_OWNERS: readonly AttributeOwner[] = ['client', 'check'];

export function parseAttributeName(name: string): AttributeName {
  const [first = '', ...remaining] = name.split('.');
  const owner = ownerOf(first, remaining);
  return owner === undefined
    ? { owners: BOTH_OWNERS, attribute: name }
    : { owners: [owner], attribute: remaining.join('.') };
}

/** Returns the owner that the first part of a name with dots names; undefined if it names none. */
export function ownerOf(first: string, remaining: readonly string[]): AttributeOwner | undefined {
  if (remaining.length === 0) return undefined;
  const lower = first.toLowerCase();
  return lower === 'client' || lower === 'check' ? lower : undefined;
}

/** Whether an attribute changes with each result. */
export function isUnstable({ attribute }: AttributeName): boolean {
  const [first = ''] = attribute.split('.');
  return UNSTABLE_ATTRIBUTES.has(first.toLowerCase());
}

/** Whether an attribute, or an object that contains it, is redacted on every client. */
export function isSecret({ attribute }: AttributeName): boolean {
  return attribute.split('.').some((part) => isRedactedByDefault(part));
}
