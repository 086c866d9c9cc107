import { ALL, type Role, type RoleBinding, type RoleRule, type RoleVerb } from '../../schemas/v2/role.ts';
import { SCOPES, type Scope } from '../../schemas/scope.ts';
import { USERS_GROUP } from './built-in-roles.ts';

/** The rights that a role grants through a binding. */
export interface Grant {
  /** The only namespace in which the grant applies; undefined: all namespaces, and objects outside of namespaces. */
  readonly namespace: string | undefined;
  readonly rules: readonly RoleRule[];
}

/** An operation to authorize. */
export interface Operation {
  readonly verb: RoleVerb | typeof ALL;
  /** A resource type, such as `checks`. */
  readonly resource: string;
  /** Name of the object; empty for operations without one, such as list. */
  readonly name: string;
  /** The namespace of the object; undefined: all namespaces, or an object outside of namespaces. */
  readonly namespace: string | undefined;
}

/** Whether any of the grants allows the operation; everything else is denied. */
export function isGranted(grants: readonly Grant[], doing: Operation): boolean {
  return grants.some(
    ({ namespace, rules }) =>
      (namespace === undefined || namespace === doing.namespace) && rules.some((rule) => allows(rule, doing)),
  );
}

function allows({ verbs, resources, resource_names: names }: RoleRule, { verb, resource, name }: Operation): boolean {
  const isVerb = verbs?.some((one) => one === ALL || one === verb) === true;
  const isResource = resources?.some((one) => one === ALL || one === resource) === true;
  // A rule with resource names allows neither list nor create, which name no object.
  const isName = (names ?? []).length === 0 || names?.includes(name) === true;
  return isVerb && isResource && isName;
}

/** Whether the grants allow anything in a namespace, so that the namespace itself is visible. */
export function reachesInto(grants: readonly Grant[], namespace: string): boolean {
  return grants.some(
    (grant) =>
      (grant.namespace === undefined || grant.namespace === namespace) &&
      grant.rules.some(({ verbs, resources }) => (verbs ?? []).length > 0 && (resources ?? []).length > 0),
  );
}

/** The resource types that the scope `read` shows. */
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
 * The rights over all namespaces that a caller must have for each scope: each of the verbs on each of the resource
 * types.
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
  // The right to create checks stands for the right to request a run of a check.
  resolve: [
    [['update', 'delete'], ['events']],
    [['delete'], ['entities']],
    [['create'], ['checks']],
  ],
  admin: [[[ALL], [ALL]]],
};

/** Returns the scopes whose rights are all granted over all namespaces. */
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

/** All roles and role bindings, from which the index of grants is built. */
export interface RoleObjects {
  readonly clusterRoles: Iterable<Role>;
  readonly clusterBindings: Iterable<RoleBinding>;
  readonly roles: Iterable<Role>;
  readonly bindings: Iterable<RoleBinding>;
}

/** An index of grants for frequent lookups. */
export interface RoleIndex {
  /** Returns the grants of a user who is in these groups. */
  grantsOf(username: string, groups: readonly string[]): readonly Grant[];
  /** Whether a binding names the group; then the binding replaces the built-in rights of the group. */
  isBound(group: string): boolean;
}

/**
 * Builds the index of grants. A binding to a missing role grants nothing, and neither does a cluster binding to a role
 * of one namespace.
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
