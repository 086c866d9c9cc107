import { ALL, type Role, type RoleBinding, type RoleRule, type RoleVerb } from '../../schemas/v2/role.ts';
import { SCOPES, type Scope } from '../../schemas/scope.ts';
import { USERS_GROUP } from './built-in-roles.ts';

/** What a role lets somebody do who is bound to it. */
export interface Grant {
  /** The only one that it reaches; undefined: all of them, and what is in none. */
  readonly namespace: string | undefined;
  readonly rules: readonly RoleRule[];
}

/** What somebody is about to do. */
export interface Doing {
  readonly verb: RoleVerb | typeof ALL;
  /** A kind of objects: `checks`. */
  readonly resource: string;
  /** Of the object; empty: of none, as of a list. */
  readonly name: string;
  /** Undefined: in all of them, or in none. */
  readonly namespace: string | undefined;
}

/** Whether any of the grants allows it: what none of them names is denied. */
export function isGranted(grants: readonly Grant[], doing: Doing): boolean {
  return grants.some(
    ({ namespace, rules }) =>
      (namespace === undefined || namespace === doing.namespace) && rules.some((rule) => allows(rule, doing)),
  );
}

function allows({ verbs, resources, resource_names: names }: RoleRule, { verb, resource, name }: Doing): boolean {
  const isVerb = verbs?.some((one) => one === ALL || one === verb) === true;
  const isResource = resources?.some((one) => one === ALL || one === resource) === true;
  // Who is kept to some objects may neither list nor make any: these name none.
  const isName = (names ?? []).length === 0 || names?.includes(name) === true;
  return isVerb && isResource && isName;
}

/** Whether there is anything in a namespace that the grants reach: then the namespace itself can be seen. */
export function reachesInto(grants: readonly Grant[], namespace: string): boolean {
  return grants.some(
    (grant) =>
      (grant.namespace === undefined || grant.namespace === namespace) &&
      grant.rules.some(({ verbs, resources }) => (verbs ?? []).length > 0 && (resources ?? []).length > 0),
  );
}

/** The kinds of objects that the scope `read` shows. */
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

type Need = readonly [verbs: readonly Doing['verb'][], resources: readonly string[]];

/** What it takes, over all namespaces, to have a scope: each of these verbs with each of these kinds. */
const SCOPE_NEEDS: Readonly<Record<Scope, readonly Need[]>> = {
  read: [[['get', 'list'], READ_RESOURCES]],
  submit: [
    [
      ['create', 'update'],
      ['events', 'entities'],
    ],
  ],
  silence: [[['create', 'update', 'delete'], ['silenced']]],
  // The last is asking for a run.
  resolve: [
    [['update', 'delete'], ['events']],
    [['delete'], ['entities']],
    [['create'], ['checks']],
  ],
  admin: [[[ALL], [ALL]]],
};

/** The scopes that somebody has by grants over all namespaces: those that allow everything that a scope does. */
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

/** Everything that roles and bindings say. */
export interface RoleObjects {
  readonly clusterRoles: Iterable<Role>;
  readonly clusterBindings: Iterable<RoleBinding>;
  readonly roles: Iterable<Role>;
  readonly bindings: Iterable<RoleBinding>;
}

/** Who has which grants, to be asked again and again. */
export interface RoleIndex {
  /** Of a user in these groups. */
  grantsOf(username: string, groups: readonly string[]): readonly Grant[];
  /** Whether a binding names the group: then that says what the group may do, whatever its name meant before. */
  isBound(group: string): boolean;
}

/** A binding to a role that is not there gives nothing; neither does one over all namespaces to a role of one of them. */
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
