import { describe, expect, test } from 'vitest';
import { BUILT_IN_CLUSTER_ROLES, CLUSTER_NAMESPACE } from '../../../../shared/domain/v2/built-in-roles.ts';
import {
  isGranted,
  canSeeNamespace,
  roleIndexOf,
  scopesOfGrants,
  type Operation,
  type Grant,
} from '../../../../shared/domain/v2/roles.ts';
import type { Role, RoleBinding, RoleRule } from '../../../../shared/schemas/v2/role.ts';

const rule = (
  verbs: RoleRule['verbs'],
  resources: RoleRule['resources'],
  names: RoleRule['resource_names'] = null,
): RoleRule => ({ verbs, resources, resource_names: names });

const grant = (namespace: string | undefined, ...rules: readonly RoleRule[]): Grant => ({ namespace, rules });

const doing = (text: string): Operation => {
  const [verb = '', path = '', namespace] = text.split(' ');
  const [resource = '', ...name] = path.split('/');
  return { verb: verb as Operation['verb'], resource, name: name.join('/'), namespace };
};

const rulesOf = (name: string): readonly RoleRule[] =>
  BUILT_IN_CLUSTER_ROLES.find(({ metadata }) => metadata.name === name)?.rules ?? [];

const role = (namespace: string, name: string, ...rules: RoleRule[]): Role => ({
  rules,
  metadata: { name, namespace },
});

const binding = (namespace: string, subjects: string, ref: string): RoleBinding => {
  const [type, name = ''] = ref.split(' ');
  return {
    metadata: { name: 'b', namespace },
    subjects: subjects.split(', ').map((subject) => {
      const [kind, who = ''] = subject.split(' ');
      return { type: kind as 'User' | 'Group', name: who };
    }),
    role_ref: { type: type as 'Role' | 'ClusterRole', name },
  };
};

describe('a rule of a role', () => {
  test.each<[what: string, given: RoleRule, asked: string, isAllowed: boolean]>([
    ['allows its verb for its resource type', rule(['get'], ['checks']), 'get checks/a', true],
    ['does not allow another verb', rule(['get'], ['checks']), 'update checks/a', false],
    ['does not allow another resource type', rule(['get'], ['checks']), 'get events/a/b', false],
    ['allows every verb with *', rule(['*'], ['checks']), 'delete checks/a', true],
    ['allows every resource type with *', rule(['get'], ['*']), 'get users/ann', true],
    ['allows the objects that it names', rule(['get'], ['checks'], ['a']), 'get checks/a', true],
    ['that names objects does not allow other objects', rule(['get'], ['checks'], ['a']), 'get checks/b', false],
    ['that names objects does not allow lists', rule(['*'], ['checks'], ['a']), 'list checks', false],
    ['that names objects does not allow creation', rule(['*'], ['checks'], ['a']), 'create checks', false],
    ['without object names allows all objects', rule(['list'], ['checks'], []), 'list checks', true],
    ['without verbs allows nothing', rule(null, ['checks']), 'get checks/a', false],
    ['without resource types allows nothing', rule(['get'], null), 'get checks/a', false],
  ])('a rule of a role %s', (_what, given, asked, isAllowed) => {
    expect(isGranted([grant(undefined, given)], doing(asked))).toBe(isAllowed);
  });
});

describe('a grant of a role', () => {
  const all = rule(['*'], ['*']);

  test.each<[what: string, namespace: string | undefined, asked: string, isAllowed: boolean]>([
    ['in a namespace applies to objects of that namespace', 'prod', 'get checks/a prod', true],
    ['in a namespace does not apply to objects of another namespace', 'prod', 'get checks/a dev', false],
    ['in a namespace does not apply to requests for all namespaces', 'prod', 'list checks', false],
    ['in a namespace does not apply to objects without a namespace', 'prod', 'get users/ann', false],
    ['for all namespaces applies to objects of each namespace', undefined, 'get checks/a prod', true],
    ['for all namespaces applies to objects without a namespace', undefined, 'get users/ann', true],
  ])('a role that is granted %s', (_what, namespace, asked, isAllowed) => {
    expect(isGranted([grant(namespace, all)], doing(asked))).toBe(isAllowed);
  });

  test('an empty list of roles grants nothing', () => {
    expect(isGranted([], doing('get checks/a'))).toBe(false);
  });

  test('the grants of a user show the namespaces in which they allow anything', () => {
    const grants = [grant('prod', rule(['get'], ['checks']))];
    expect(['prod', 'dev'].map((name) => canSeeNamespace(grants, name))).toEqual([true, false]);
    expect(canSeeNamespace([grant(undefined, rule(['get'], ['checks']))], 'dev')).toBe(true);
    expect(canSeeNamespace([grant('prod', rule(null, ['checks']))], 'prod')).toBe(false);
  });
});

describe('the scopes of roles', () => {
  test.each([
    ['cluster-admin', 'read submit silence resolve admin'],
    ['admin', 'read submit silence resolve'],
    ['edit', 'read submit silence resolve'],
    ['view', 'read'],
    ['system:agent', ''],
    ['system:user', ''],
  ])('the role %s for all namespaces gives the scopes: %s', (name, scopes) => {
    expect(scopesOfGrants([grant(undefined, ...rulesOf(name))]).join(' ')).toBe(scopes);
    expect(scopesOfGrants([grant('prod', ...rulesOf(name))])).toEqual([]);
  });

  test('several roles together can give a scope', () => {
    const grants = [grant(undefined, rule(['create'], ['silenced'])), grant(undefined, rule(['*'], ['silenced'], []))];
    expect(scopesOfGrants(grants)).toEqual(['silence']);
    expect(scopesOfGrants(grants.slice(0, 1))).toEqual([]);
  });

  test('rules that name objects give no scope', () => {
    expect(scopesOfGrants([grant(undefined, rule(['*'], ['*'], ['a']))])).toEqual([]);
  });
});

describe('role bindings', () => {
  const get = rule(['get'], ['checks']);
  const list = rule(['list'], ['checks']);
  const everywhere = { clusterRoles: [role(CLUSTER_NAMESPACE, 'r', list)], roles: [role('prod', 'r', get)] };

  test.each<[what: string, bound: RoleBinding, isOverAll: boolean, expected: readonly Grant[]]>([
    ['a role of the namespace', binding('prod', 'User ann', 'Role r'), false, [grant('prod', get)]],
    ['a cluster role in one namespace', binding('prod', 'User ann', 'ClusterRole r'), false, [grant('prod', list)]],
    ['a cluster role for all namespaces', binding('', 'User ann', 'ClusterRole r'), true, [grant(undefined, list)]],
    ['a group of the user', binding('prod', 'Group ops', 'Role r'), false, [grant('prod', get)]],
    [
      'the group system:users of every user',
      binding('prod', 'Group system:users', 'Role r'),
      false,
      [grant('prod', get)],
    ],
    ['another user', binding('prod', 'User bob', 'Role r'), false, []],
    ['a group with the name of the user', binding('prod', 'Group ann', 'Role r'), false, []],
    ['a role of another namespace', binding('dev', 'User ann', 'Role r'), false, []],
    ['a role that does not exist', binding('prod', 'User ann', 'ClusterRole gone'), false, []],
    ['a cluster binding of a namespace role', binding('', 'User ann', 'Role r'), true, []],
  ])('a role binding yields the right grants for %s', (_what, bound, isOverAll, expected) => {
    const index = roleIndexOf({
      ...everywhere,
      clusterBindings: isOverAll ? [bound] : [],
      bindings: isOverAll ? [] : [bound],
    });
    expect(index.grantsOf('ann', ['ops'])).toEqual(expected);
  });

  test('role bindings list their groups even if the role does not exist', () => {
    const bindings = [binding('prod', 'User ann, Group ops', 'Role gone')];
    const index = roleIndexOf({ ...everywhere, clusterBindings: [], bindings });
    expect(['ops', 'ann', 'viewers'].map((group) => index.isBound(group))).toEqual([true, false, false]);
  });
});
