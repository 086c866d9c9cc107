import { expect, test } from 'vitest';
import { Definitions } from '../../../../../daemon/backend/model/config/definitions.ts';
import { topicsOf } from '../../../../../daemon/backend/compose/topics.ts';
import { TABLES } from '../../../../../daemon/backend/model/tables/tables.ts';
import { FEED_TOPICS } from '../../../../../shared/schemas/feed-request.ts';

test('every table of the store has a different key prefix', () => {
  const prefixes = TABLES.map(({ prefix }) => prefix);
  expect(prefixes).toEqual([...new Set(prefixes)]);
});

test('every topic of the feed belongs to exactly one table of the store', () => {
  expect(
    topicsOf(new Definitions({ checks: new Map(), handlers: new Map() }))
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual([...FEED_TOPICS].toSorted());
});

test('every type of object in a dump belongs to one table', () => {
  const types = TABLES.flatMap(({ dumps = [] }) => dumps.map(({ type }) => type));
  expect(types).toEqual([...new Set(types)]);
});
