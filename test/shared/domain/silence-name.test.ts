import { expect, test } from 'vitest';
import { auditTargetName, silenceName } from '../../../shared/domain/silence-name.ts';

test('a silence by search is named by its search, and any other silence by its id', () => {
  expect(silenceName({ selector: 'subscriptions=rack:r20', id: 'selector-4c0be81e2919cece' })).toBe(
    'search subscriptions=rack:r20',
  );
  expect(silenceName({ subscription: 'web', check: null })).toBe('web:*');
  expect(silenceName({ id: 'client:web-1:disk' })).toBe('client:web-1:disk');
});

test.each([
  [{ before: null, after: { selector: 'env=prod' } }, 'search env=prod'],
  [{ before: { selector: 'env=prod' }, after: null }, 'search env=prod'],
  [{ before: { cut: '{"selector":"env=prod"' }, after: undefined }, 'selector-4c0be81e2919cece'],
  [{ before: { selector: 7 }, after: 'text' }, 'selector-4c0be81e2919cece'],
])('the audit record with the states %j names its target %s', (states, name) => {
  expect(auditTargetName({ target: 'selector-4c0be81e2919cece', ...states })).toBe(name);
});
