import fc from 'fast-check';
import { expect, test } from 'vitest';
import { commonScopes, scopesOfGroups } from '../../../../shared/domain/v2/groups.ts';
import { SCOPES, type Scope } from '../../../../shared/schemas/scope.ts';

test.each<{ groups: string[]; scopes: Scope[] }>([
  { groups: [], scopes: [] },
  { groups: ['viewers'], scopes: ['read'] },
  { groups: ['system:agents'], scopes: ['submit'] },
  { groups: ['viewers', 'system:agents'], scopes: ['read', 'submit'] },
  { groups: ['operators'], scopes: ['read', 'submit', 'silence', 'resolve'] },
  { groups: ['editors', 'admins'], scopes: ['read', 'submit', 'silence', 'resolve', 'admin'] },
  { groups: ['of-another-cluster'], scopes: [] },
  { groups: ['constructor', '__proto__'], scopes: [] },
])('the user groups $groups grant the scopes $scopes', ({ groups, scopes }) => {
  expect([...scopesOfGroups(groups)].toSorted()).toEqual(scopes.toSorted());
});

const anyScopes = fc.uniqueArray(fc.constantFrom(...SCOPES));
const allows = (scopes: Iterable<Scope>, scope: Scope): boolean => {
  const set = new Set(scopes);
  return set.has(scope) || set.has('admin');
};

test('the common scopes of two sets are the scopes that both sets allow, in either order', () => {
  fc.assert(
    fc.property(anyScopes, anyScopes, (some, others) => {
      const common = commonScopes(some, new Set(others));
      for (const scope of SCOPES) {
        expect(allows(common, scope)).toBe(allows(some, scope) && allows(others, scope));
      }
      expect(commonScopes(others, new Set(some))).toEqual(common);
    }),
  );
});
