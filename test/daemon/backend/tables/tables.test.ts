import { expect, test } from 'vitest';
import { Definitions } from '../../../../daemon/backend/config/definitions.ts';
import { topicsOf } from '../../../../daemon/backend/compose/topics.ts';
import { TABLES } from '../../../../daemon/backend/tables/tables.ts';
import { FEED_TOPICS } from '../../../../shared/schemas/feed-request.ts';

test('no two kinds are stored under the same prefix', () => {
  const prefixes = TABLES.map(({ prefix }) => prefix);
  expect(prefixes).toEqual([...new Set(prefixes)]);
});

test('every topic that can be asked for is shown of some kind, and of one only', () => {
  expect(
    topicsOf(new Definitions({ checks: new Map(), handlers: new Map() }))
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual([...FEED_TOPICS].toSorted());
});

test('no type of object is dumped twice', () => {
  const types = TABLES.flatMap(({ dumps = [] }) => dumps.map(({ type }) => type));
  expect(types).toEqual([...new Set(types)]);
});
