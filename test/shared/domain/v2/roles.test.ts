import { describe, expect, test } from 'vitest';
import { BUILT_IN_CLUSTER_ROLES, ALL_NAMESPACES } from '../../../../shared/domain/v2/built-in-roles.ts';
import {
  isGranted,
  reachesInto,
  roleIndexOf,
  scopesOfGrants,
  type Doing,
  type Grant,
} from '../../../../shared/domain/v2/roles.ts';
import type { Role, RoleBinding, RoleRule } from '../../../../shared/schemas/v2/role.ts';

const rule = (
  verbs: RoleRule['verbs'],
  resources: RoleRule['resources'],
  names: RoleRule['resource_names'] = null,
): RoleRule => ({ verbs, resources, resource_names: names });

const grant = (namespace: string | undefined, ...rules: readonly RoleRule[]): Grant => ({ namespace, rules });

const doing = (text: string): Doing => {
  const [verb = '', path = '', namespace] = text.split(' ');
  const [resource = '', ...name] = path.split('/');
  return { verb: verb as Doing['verb'], resource, name: name.join('/'), namespace };
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

describe('a rule', () => {
  test.each<[what: string, given: RoleRule, asked: string, isAllowed: boolean]>([
    ['allows its verb with its kind', rule(['get'], ['checks']), 'get checks/a', true],
    ['denies another verb', rule(['get'], ['checks']), 'update checks/a', false],
    ['denies another kind', rule(['get'], ['checks']), 'get events/a/b', false],
    ['allows every verb', rule(['*'], ['checks']), 'delete checks/a', true],
    ['allows every kind', rule(['get'], ['*']), 'get users/ann', true],
    ['allows the objects that it names', rule(['get'], ['checks'], ['a']), 'get checks/a', true],
    ['denies other objects', rule(['get'], ['checks'], ['a']), 'get checks/b', false],
    ['that names objects denies lists, which have no name', rule(['*'], ['checks'], ['a']), 'list checks', false],
    ['that names objects denies making any', rule(['*'], ['checks'], ['a']), 'create checks', false],
    ['without names is about all of them', rule(['list'], ['checks'], []), 'list checks', true],
    ['without verbs allows nothing', rule(null, ['checks']), 'get checks/a', false],
    ['without kinds allows nothing', rule(['get'], null), 'get checks/a', false],
  ])('a rule %s', (_what, given, asked, isAllowed) => {
    expect(isGranted([grant(undefined, given)], doing(asked))).toBe(isAllowed);
  });
});

describe('a grant', () => {
  const all = rule(['*'], ['*']);

  test.each<[what: string, namespace: string | undefined, asked: string, isAllowed: boolean]>([
    ['of a namespace reaches what is in it', 'prod', 'get checks/a prod', true],
    ['of a namespace reaches nothing in another', 'prod', 'get checks/a dev', false],
    ['of a namespace reaches nothing over all of them', 'prod', 'list checks', false],
    ['of a namespace reaches nothing that is in none', 'prod', 'get users/ann', false],
    ['over all namespaces reaches each', undefined, 'get checks/a prod', true],
    ['over all namespaces reaches what is in none', undefined, 'get users/ann', true],
  ])('a grant %s', (_what, namespace, asked, isAllowed) => {
    expect(isGranted([grant(namespace, all)], doing(asked))).toBe(isAllowed);
  });

  test('an empty list of roles grants nothing', () => {
    expect(isGranted([], doing('get checks/a'))).toBe(false);
  });

  test('a grant shows the namespaces in which it grants anything', () => {
    const grants = [grant('prod', rule(['get'], ['checks']))];
    expect(['prod', 'dev'].map((name) => reachesInto(grants, name))).toEqual([true, false]);
    expect(reachesInto([grant(undefined, rule(['get'], ['checks']))], 'dev')).toBe(true);
    expect(reachesInto([grant('prod', rule(null, ['checks']))], 'prod')).toBe(false);
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
  ])('the role %s over all namespaces gives the scopes: %s', (name, scopes) => {
    expect(scopesOfGrants([grant(undefined, ...rulesOf(name))]).join(' ')).toBe(scopes);
    expect(scopesOfGrants([grant('prod', ...rulesOf(name))])).toEqual([]);
  });

  test('several roles add up to a scope', () => {
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
  const everywhere = { clusterRoles: [role(ALL_NAMESPACES, 'r', list)], roles: [role('prod', 'r', get)] };

  test.each<[what: string, bound: RoleBinding, isOverAll: boolean, expected: readonly Grant[]]>([
    ['a role of the namespace', binding('prod', 'User ann', 'Role r'), false, [grant('prod', get)]],
    ['a role over all namespaces, in one', binding('prod', 'User ann', 'ClusterRole r'), false, [grant('prod', list)]],
    ['a role over all namespaces', binding('', 'User ann', 'ClusterRole r'), true, [grant(undefined, list)]],
    ['one of the groups', binding('prod', 'Group ops', 'Role r'), false, [grant('prod', get)]],
    ['the group that everybody is in', binding('prod', 'Group system:users', 'Role r'), false, [grant('prod', get)]],
    ['another user', binding('prod', 'User bob', 'Role r'), false, []],
    ['a group of the name of the user', binding('prod', 'Group ann', 'Role r'), false, []],
    ['a role of another namespace', binding('dev', 'User ann', 'Role r'), false, []],
    ['a role that is not there', binding('prod', 'User ann', 'ClusterRole gone'), false, []],
    ['a role of a namespace, over all of them', binding('', 'User ann', 'Role r'), true, []],
  ])('a role binding applies to %s', (_what, bound, isOverAll, expected) => {
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
