import { SCOPES, type Scope } from '../../schemas/scope.ts';

const OPERATOR_SCOPES: readonly Scope[] = ['read', 'submit', 'silence', 'resolve'];

/** The group whose members have all rights. */
export const ADMINISTRATORS_GROUP = 'cluster-admins';

/**
 * Scopes of the built-in user groups, which correspond to groups and roles of Sensu Go. Other groups give no scopes.
 */
export const GROUP_SCOPES: Readonly<Record<string, readonly Scope[]>> = {
  [ADMINISTRATORS_GROUP]: SCOPES,
  admins: SCOPES,
  editors: OPERATOR_SCOPES,
  operators: OPERATOR_SCOPES,
  viewers: ['read'],
  'system:agents': ['submit'],
};

export function scopesOfGroups(groups: readonly string[]): ReadonlySet<Scope> {
  return new Set(groups.flatMap((group) => (Object.hasOwn(GROUP_SCOPES, group) ? (GROUP_SCOPES[group] ?? []) : [])));
}

/** Returns the scopes that are in both sets. A set with `admin` contains all scopes. */
export function commonScopes(some: Iterable<Scope>, others: ReadonlySet<Scope>): ReadonlySet<Scope> {
  const set = new Set(some);
  return new Set(
    SCOPES.filter((scope) => (set.has(scope) || set.has('admin')) && (others.has(scope) || others.has('admin'))),
  );
}
