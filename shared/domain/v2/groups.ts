import { SCOPES, type Scope } from '../../schemas/scope.ts';

const OPERATE: readonly Scope[] = ['read', 'submit', 'silence', 'resolve'];

/** The group whose members have all rights. */
export const ADMINISTRATORS = 'cluster-admins';

/**
 * Scopes of the built-in user groups, which correspond to groups and roles of Sensu Go. Other groups give no scopes.
 */
export const GROUP_SCOPES: Readonly<Record<string, readonly Scope[]>> = {
  [ADMINISTRATORS]: SCOPES,
  admins: SCOPES,
  editors: OPERATE,
  operators: OPERATE,
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
