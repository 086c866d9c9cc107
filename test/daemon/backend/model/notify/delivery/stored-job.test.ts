import { expect, test } from 'vitest';
import { decodeJob, encodeJob } from '../../../../../../daemon/backend/model/notify/delivery/stored-job.ts';
import type { HandlerJob } from '../../../../../../shared/schemas/handler-job.ts';

const REMINDER = { at: 1_732_390_000, events: 3 };

const STORED = {
  id: 7,
  namespace: 'default',
  client: 'mon',
  check: 'silence-reminder',
  handler: 'pager',
  queued_at: 1_732_390_000_000,
  event: { id: 'a', silence_ending: { id: '*:disk', reminded: REMINDER } },
  group: {
    id: 'b',
    by: {},
    left_out: 2,
    events: [{ id: 'a', change: 'new', silence_ending: { id: '*:disk', reminded: REMINDER } }],
  },
};

test('a handler job is stored with the earlier attribute names left_out and reminded', () => {
  const job = decodeJob(JSON.stringify(STORED));
  const event = { id: 'a', silence_ending: { id: '*:disk', reminder_sent: REMINDER } };
  expect(job).toMatchObject({ event, group: { omitted: 2, events: [{ ...event, change: 'new' }] } });
  expect(job.group).not.toHaveProperty('left_out');
  expect(JSON.parse(encodeJob(job))).toEqual(STORED);
});

test('a handler job without a group and without a reminder is stored unchanged', () => {
  const { group: _, ...single } = { ...STORED, event: { id: 'a', silence_ended: true } };
  expect(JSON.parse(encodeJob(single as unknown as HandlerJob))).toEqual(single);
  expect(decodeJob(JSON.stringify(single))).toEqual(single);
});
