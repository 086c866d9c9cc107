import { expect, test } from 'vitest';
import { Definitions } from '../../../../../daemon/backend/model/config/definitions.ts';
import { topicsOf } from '../../../../../daemon/backend/compose/topics.ts';
import { TABLES } from '../../../../../daemon/backend/model/tables/tables.ts';
import { FEED_TOPICS } from '../../../../../shared/schemas/feed-request.ts';

test('every table has a different prefix', () => {
  const prefixes = TABLES.map(({ prefix }) => prefix);
  expect(prefixes).toEqual([...new Set(prefixes)]);
});

test('every topic of the feed belongs to exactly one table', () => {
  expect(
    topicsOf(new Definitions({ checks: new Map(), handlers: new Map() }))
      .map(({ name }) => name)
      .toSorted(),
  ).toEqual([...FEED_TOPICS].toSorted());
});

test('every type of dumped object belongs to one table', () => {
  const types = TABLES.flatMap(({ dumps = [] }) => dumps.map(({ type }) => type));
  expect(types).toEqual([...new Set(types)]);
});
