import { ALL_WILDCARD, type Role, type RoleBinding, type RoleRule, type RoleVerb } from '../../schemas/v2/role.ts';
import { SCOPES, type Scope } from '../../schemas/scope.ts';
import { USERS_GROUP } from './built-in-roles.ts';

/** The rights that a role gives to the users and groups of a role binding. */
export interface Grant {
  /** The only namespace of the rights; undefined for all namespaces and for objects without a namespace. */
  readonly namespace: string | undefined;
  readonly rules: readonly RoleRule[];
}

/** An operation of an API caller that must be authorized. */
export interface Operation {
  readonly verb: RoleVerb | typeof ALL_WILDCARD;
  /** A resource type, such as `checks`. */
  readonly resource: string;
  /** Name of the object; empty for operations without one, such as list. */
  readonly name: string;
  /** The namespace of the object; undefined for an operation on all namespaces, or on an object without one. */
  readonly namespace: string | undefined;
}

/** Whether at least one of the grants allows the operation. Otherwise it is denied. */
export function isGranted(grants: readonly Grant[], doing: Operation): boolean {
  return grants.some(
    ({ namespace, rules }) =>
      (namespace === undefined || namespace === doing.namespace) && rules.some((rule) => ruleAllows(rule, doing)),
  );
}

function ruleAllows(
  { verbs, resources, resource_names: names }: RoleRule,
  { verb, resource, name }: Operation,
): boolean {
  const isVerb = verbs?.some((one) => one === ALL_WILDCARD || one === verb) === true;
  const isResource = resources?.some((one) => one === ALL_WILDCARD || one === resource) === true;
  // A rule with resource names allows neither list nor create, which name no object.
  const isName = (names ?? []).length === 0 || names?.includes(name) === true;
  return isVerb && isResource && isName;
}

/** Whether the grants allow at least one operation in a namespace. Then the namespace itself is visible. */
export function canSeeNamespace(grants: readonly Grant[], namespace: string): boolean {
  return grants.some(
    (grant) =>
      (grant.namespace === undefined || grant.namespace === namespace) &&
      grant.rules.some(({ verbs, resources }) => (verbs ?? []).length > 0 && (resources ?? []).length > 0),
  );
}

/** The resource types that callers with the scope `read` can read. */
export const READ_RESOURCES: readonly string[] = [
  'assets',
  'checks',
  'entities',
  'events',
  'filters',
  'handlers',
  'hooks',
  'mutators',
  'silenced',
];

type RequiredRights = readonly [verbs: readonly Operation['verb'][], resources: readonly string[]];

/**
 * The rights in all namespaces that give a caller each scope: all the verbs on all the resource types of each entry.
 */
const SCOPE_NEEDS: Readonly<Record<Scope, readonly RequiredRights[]>> = {
  read: [[['get', 'list'], READ_RESOURCES]],
  submit: [
    [
      ['create', 'update'],
      ['events', 'entities'],
    ],
  ],
  silence: [[['create', 'update', 'delete'], ['silenced']]],
  // No verb is for requesting a run of a check, so the right to create checks is required for it.
  resolve: [
    [['update', 'delete'], ['events']],
    [['delete'], ['entities']],
    [['create'], ['checks']],
  ],
  admin: [[[ALL_WILDCARD], [ALL_WILDCARD]]],
};

/** Returns the scopes for which all required rights are granted in all namespaces. */
export function scopesOfGrants(grants: readonly Grant[]): readonly Scope[] {
  if (grants.length === 0) return [];
  return SCOPES.filter((scope) =>
    SCOPE_NEEDS[scope].every(([verbs, resources]) =>
      verbs.every((verb) =>
        resources.every((resource) => isGranted(grants, { verb, resource, name: '', namespace: undefined })),
      ),
    ),
  );
}

/** All roles and role bindings of a backend, including those for the whole cluster. */
export interface RoleObjects {
  readonly clusterRoles: Iterable<Role>;
  readonly clusterBindings: Iterable<RoleBinding>;
  readonly roles: Iterable<Role>;
  readonly bindings: Iterable<RoleBinding>;
}

/** An index by which the rights (grants) of a user are looked up. */
export interface RoleIndex {
  /** Returns the grants of a user and of the user's groups. */
  grantsOf(username: string, groups: readonly string[]): readonly Grant[];
  /** Whether a role binding names the group. Then the group has the rights of the binding, not its built-in rights. */
  isBound(group: string): boolean;
}

/**
 * Builds the index by which the rights of a user are looked up. A binding grants nothing if its role does not exist, or
 * if it is a cluster role binding whose role belongs to one namespace.
 */
export function roleIndexOf({ clusterRoles, clusterBindings, roles, bindings }: RoleObjects): RoleIndex {
  const rulesOfCluster = new Map(Array.from(clusterRoles, ({ metadata, rules }) => [metadata.name, rules]));
  const rulesOfRole = new Map(Array.from(roles, ({ metadata, rules }) => [roleKey(metadata), rules]));
  const bySubject = new Map<string, Grant[]>();
  const bound = new Set<string>();

  const add = ({ subjects }: Pick<RoleBinding, 'subjects'>, grant: Grant | undefined): void => {
    for (const { type, name } of subjects) {
      if (type === 'Group') bound.add(name);
      if (grant === undefined) continue;
      const key = subjectKey(type, name);
      const present = bySubject.get(key);
      if (present === undefined) bySubject.set(key, [grant]);
      else present.push(grant);
    }
  };

  for (const binding of clusterBindings) {
    const { type, name } = binding.role_ref;
    const rules = type === 'ClusterRole' ? rulesOfCluster.get(name) : undefined;
    add(binding, rules && { namespace: undefined, rules });
  }
  for (const binding of bindings) {
    const { type, name } = binding.role_ref;
    const { namespace } = binding.metadata;
    const rules = type === 'ClusterRole' ? rulesOfCluster.get(name) : rulesOfRole.get(roleKey({ namespace, name }));
    add(binding, rules && { namespace, rules });
  }
  return {
    grantsOf: (username, groups) =>
      [subjectKey('User', username), ...[...groups, USERS_GROUP].map((group) => subjectKey('Group', group))].flatMap(
        (key) => bySubject.get(key) ?? [],
      ),
    isBound: (group) => bound.has(group),
  };
}

function roleKey({ namespace, name }: { readonly namespace: string; readonly name: string }): string {
  return JSON.stringify([namespace, name]);
}

function subjectKey(type: 'User' | 'Group', name: string): string {
  return `${type} ${name}`;
}
