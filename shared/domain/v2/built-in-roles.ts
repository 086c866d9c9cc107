import { DEFAULT_NAMESPACE } from '../../schemas/namespace.ts';
import type { Role, RoleBinding, RoleRule } from '../../schemas/v2/role.ts';

/*
 * The roles and role bindings that Sensu Go creates by itself (recorded from 6.2.4). Here they exist without being
 * stored.
 */

/** The namespace in the metadata of objects that are valid in all namespaces. */
export const CLUSTER_NAMESPACE = '';

const EDITABLE_RESOURCES = [
  'assets',
  'checks',
  'entities',
  'extensions',
  'events',
  'filters',
  'handlers',
  'hooks',
  'mutators',
  'silenced',
];

const READ_NAMESPACES = buildRule(['get', 'list'], ['namespaces']);

/** The group of all users. Every user has the rights of a role that is bound to it. */
export const USERS_GROUP = 'system:users';

export const BUILT_IN_CLUSTER_ROLES: readonly Role[] = [
  clusterRole('admin', buildRule(['*'], [...EDITABLE_RESOURCES, 'roles', 'rolebindings']), READ_NAMESPACES),
  clusterRole('cluster-admin', buildRule(['*'], ['*'])),
  clusterRole('edit', buildRule(['*'], EDITABLE_RESOURCES), READ_NAMESPACES),
  clusterRole('system:agent', buildRule(['*'], ['events'])),
  clusterRole('system:user', buildRule(['get', 'update'], ['localselfuser'])),
  clusterRole('view', buildRule(['get', 'list'], [...EDITABLE_RESOURCES, 'namespaces'])),
];

export const BUILT_IN_CLUSTER_BINDINGS: readonly RoleBinding[] = [
  clusterBinding('cluster-admin', 'cluster-admins'),
  clusterBinding('system:agent', 'system:agents'),
  clusterBinding('system:user', USERS_GROUP),
];

const PIPELINE_ROLE = { name: 'system:pipeline', namespace: DEFAULT_NAMESPACE };

export const BUILT_IN_ROLES: readonly Role[] = [
  { rules: [buildRule(['get', 'list'], ['events'])], metadata: PIPELINE_ROLE },
];

export const BUILT_IN_BINDINGS: readonly RoleBinding[] = [
  {
    subjects: [{ type: 'Group', name: 'system:pipeline' }],
    role_ref: { type: 'Role', name: 'system:pipeline' },
    metadata: PIPELINE_ROLE,
  },
];

/**
 * Groups whose rights cannot be changed by role bindings. Administrators must not lose rights. Agents must not gain
 * any, because their password is on every host: they can only submit results (the scope `submit`).
 */
export const PERMANENT_GROUPS: ReadonlySet<string> = new Set(['cluster-admins', 'system:agents']);

/** Built-in cluster roles that can be redefined, because no built-in role binding uses them. */
export const REPLACEABLE_ROLES: ReadonlySet<string> = new Set(['admin', 'edit', 'view']);

function buildRule(verbs: NonNullable<RoleRule['verbs']>, resources: string[]): RoleRule {
  return { verbs, resources, resource_names: null };
}

function clusterRole(name: string, ...rules: RoleRule[]): Role {
  return { rules, metadata: { name, namespace: CLUSTER_NAMESPACE } };
}

function clusterBinding(role: string, group: string): RoleBinding {
  return {
    subjects: [{ type: 'Group', name: group }],
    role_ref: { type: 'ClusterRole', name: role },
    metadata: { name: role, namespace: CLUSTER_NAMESPACE },
  };
}
