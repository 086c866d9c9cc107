import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { parseFeedFrame } from '../../../shared/client/feed-frames.ts';
import { clientRowSchema, eventRowSchema } from '../../../shared/schemas/feed.ts';

const EVENT = {
  client: 'web-1',
  check: 'disk',
  status: 2,
  action: 'create',
  occurrences: 1,
  since: 1,
  last: 2,
  silenced_by: ['*:disk'],
  output: 'full',
};
const CLIENT = { name: 'web-1', address: '10.0.0.1', subscriptions: ['base'], timestamp: 1, version: '1.0' };

/** What an attribute may be changed into; `undefined` takes it away. */
const OTHERS: readonly unknown[] = [undefined, null, 'text', 7, true, [], ['text'], [7], {}];

const isTaken = (topic: string, row: unknown): boolean => {
  try {
    return (
      parseFeedFrame(JSON.stringify({ type: 'changes', seq: 1, time: 1, rows: { [topic]: { a: row } } })) !== undefined
    );
  } catch {
    return false;
  }
};

describe.each<{ topic: string; schema: z.ZodObject; row: Readonly<Record<string, unknown>> }>([
  { topic: 'events', schema: eventRowSchema, row: EVENT },
  { topic: 'clients', schema: clientRowSchema, row: CLIENT },
])('rows of $topic are taken as their schema has them', ({ topic, schema, row }) => {
  test('whole, and gone', () => {
    expect(isTaken(topic, row)).toBe(true);
    expect(isTaken(topic, null)).toBe(true);
  });

  test.each(Object.keys(schema.shape))('%s', (attribute) => {
    const changed = OTHERS.map((other) => Object.assign(structuredClone(row), { [attribute]: other }));
    expect(changed.map((one) => isTaken(topic, one))).toEqual(
      changed.map((one) => schema.safeParse(JSON.parse(JSON.stringify(one))).success),
    );
  });
});
