import { describe, expect, test } from 'vitest';
import type { z } from 'zod';
import { parseFeedFrame } from '../../../shared/client/feed-frames.ts';
import { clientRowSchema, feedEventRowSchema } from '../../../shared/schemas/feed.ts';

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

/** Values that replace an attribute of a row; `undefined` removes the attribute. */
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
  { topic: 'events', schema: feedEventRowSchema, row: EVENT },
  { topic: 'clients', schema: clientRowSchema, row: CLIENT },
])('the schema of feed rows of the topic $topic', ({ topic, schema, row }) => {
  test('the row schema accepts a row and a removal', () => {
    expect(isTaken(topic, row)).toBe(true);
    expect(isTaken(topic, null)).toBe(true);
  });

  test.each(Object.keys(schema.shape))(
    'the row schema accepts a value of %s if and only if the schema of that attribute accepts it',
    (attribute) => {
      const changed = OTHERS.map((other) => Object.assign(structuredClone(row), { [attribute]: other }));
      expect(changed.map((one) => isTaken(topic, one))).toEqual(
        changed.map((one) => schema.safeParse(JSON.parse(JSON.stringify(one))).success),
      );
    },
  );
});

const areTaken = (events: unknown): boolean => {
  try {
    return parseFeedFrame(JSON.stringify({ type: 'snapshot', seq: 1, rows: {}, columns: { events } })) !== undefined;
  } catch {
    return false;
  }
};

describe('the schema of event columns', () => {
  const columns: Readonly<Record<string, unknown>> = {
    namespace: { values: ['default'], indices: [0] },
    client: { values: ['web-1'], indices: [0] },
    check: { values: ['disk'], indices: [0] },
    status: [2],
    action: { values: ['create'], indices: [0] },
    occurrences: [1],
    since: [1],
    last: [2],
    silenced_by: { values: [['*:disk']], indices: [0] },
    output: { values: ['full'], indices: [0] },
    sparse: { 0: { groups: ['a'] } },
  };
  test('complete event columns are accepted', () => {
    expect(areTaken(columns)).toBe(true);
  });

  test.each(Object.keys(columns).filter((name) => name !== 'namespace' && name !== 'sparse'))(
    'event columns without %s are rejected',
    (name) => {
      expect(areTaken({ ...columns, [name]: undefined })).toBe(false);
    },
  );

  test.each(['status', 'occurrences', 'since', 'last'])(
    'event columns with invalid numbers in %s are rejected',
    (name) => {
      expect([['2'], [null], 2, {}].map((broken) => areTaken({ ...columns, [name]: broken }))).not.toContain(true);
    },
  );

  test.each(['namespace', 'client', 'check', 'action', 'silenced_by', 'output'])(
    'event columns with invalid values or indexes in %s are rejected',
    (name) => {
      const broken = [
        [],
        null,
        { values: [7], indices: [0] },
        { values: [], at: ['0'] },
        { values: [] },
        { at: [0] },
        { of: 'a', at: [0] },
      ];
      expect(broken.map((column) => areTaken({ ...columns, [name]: column }))).not.toContain(true);
    },
  );

  test('event columns with invalid sparse attributes are rejected', () => {
    const broken = [[7], { 0: 7 }, { 0: { groups: [7] } }, { 0: { inhibited_by: {} } }, { 0: { recovering: 3 } }];
    expect(broken.map((rest) => areTaken({ ...columns, sparse: rest }))).not.toContain(true);
  });
});
