import { expect, test } from 'vitest';
import { auditTargetName, silenceName, targetTextOfId } from '../../../shared/domain/silence-name.ts';

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

test.each([
  ['*:http', 'check:http'],
  ['client:web-1:disk', 'web-1 / disk'],
  ['client:web-1:*', 'web-1 / all checks'],
  ['rack:r12:*', 'subscription:rack:r12'],
  ['db:replication', 'subscription:db / replication'],
  ['selector-4c0be81e2919cece', 'selector-4c0be81e2919cece'],
  ['search subscriptions=rack:r20', 'search subscriptions=rack:r20'],
])('the silence with the id %s is shown as %s', (id, text) => {
  expect(targetTextOfId(id)).toBe(text);
});
