import { describe, expect, test } from 'vitest';
import { computeGroupId, formatGroupLabel, computeGroupKey } from '../../../../shared/domain/notify/group-key.ts';
import { anEvent } from '../../../support/a-job.ts';

const event = anEvent({
  client: {
    name: 'web-1',
    subscriptions: ['web', 'linux', 'client:web-1'],
    rack: 'a',
    site: { room: 7 },
    tags: ['x', 'y'],
  },
  check: { name: 'disk', subscribers: ['linux', 'db'], team: 'ops' },
});

const placeOf = (end: string) => computeGroupKey(['check.team'], anEvent({ check: { team: 'x'.repeat(5000) + end } }));

describe('the group key of an event', () => {
  test.each<{ name: string; value: string }>([
    { name: 'client', value: 'web-1' },
    { name: 'check', value: 'disk' },
    { name: 'subscription', value: 'linux' },
    { name: 'client.rack', value: 'a' },
    { name: 'client.site.room', value: '7' },
    { name: 'client.tags', value: '["x", "y"]' },
    { name: 'check.team', value: 'ops' },
    { name: 'check.missing', value: '' },
    { name: 'client.constructor', value: '' },
  ])('the group key attribute $name of the event has the value $value', ({ name, value }) => {
    expect(computeGroupKey([name], event).by).toEqual([[name, value]]);
  });

  test('the group key of a check without subscribers lists the subscriptions of the client, except client:NAME', () => {
    const standalone = anEvent({ client: { subscriptions: ['web', 'linux', 'client:web-1'] } });
    expect(computeGroupKey(['subscription'], standalone).by).toEqual([['subscription', 'linux,web']]);
  });

  test('a long value in a group key is truncated, but the key depends on the whole value', () => {
    expect(placeOf('a').by[0]?.[1].length).toBe(117);
    expect(placeOf('a').key).not.toBe(placeOf('b').key);
  });

  test('an empty group key puts all events in one group', () => {
    expect(computeGroupKey([], event)).toEqual({ key: '[]', by: [] });
    expect(formatGroupLabel([])).toBe('all events');
  });
});

test('the id of a group depends on namespace, handler and group key', () => {
  const ids = [
    computeGroupId('a', 'b', 'c'),
    computeGroupId('b', 'b', 'c'),
    computeGroupId('a', 'c', 'c'),
    computeGroupId('a', 'b', 'd'),
  ];
  expect(new Set(ids).size).toBe(4);
  expect(ids[0]).toMatch(/^[0-9a-f]{16}$/);
});
