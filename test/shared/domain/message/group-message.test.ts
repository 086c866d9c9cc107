import { expect, test } from 'vitest';
import { groupMessageOf } from '../../../../shared/domain/message/group-message.ts';
import { mailOf } from '../../../../shared/domain/message/mail.ts';
import { presetRequest } from '../../../../shared/domain/message/preset-request.ts';
import { templateRemarks } from '../../../../shared/domain/message/message-renderer.ts';
import type { GroupedEvent, GroupRun } from '../../../../shared/schemas/handler-job.ts';
import { handlerSchema, type RunningHandler } from '../../../../shared/schemas/handler.ts';
import { anEvent } from '../../../support/a-job.ts';

const event = (client: string, change: GroupedEvent['change'], more: object = {}): GroupedEvent => ({
  ...anEvent({ client: { name: client }, check: { output: `no answer\u001b[2J\nmore` }, ...more }),
  change,
});

const RUN: GroupRun = {
  id: '0123456789abcdef',
  by: { 'client.rack': 'a', check: 'disk' },
  cause: 'change',
  severity: 'critical',
  firing: 12,
  new: 2,
  changed: 0,
  resolved: 1,
  omitted: 9,
  events: [
    event('web-1', 'new'),
    event('web-2', 'new'),
    event('web-3', 'resolved', { action: 'resolve', check: { status: 0, output: 'fine' } }),
    event('web-4', 'same'),
  ],
};

test('the message of a group has the count, the changes and a line for each listed event', () => {
  expect(groupMessageOf({ namespace: 'default', group: RUN, nowMs: 0 })).toMatchObject({
    kind: 'problem',
    severity: 'critical',
    key: '0123456789abcdef',
    title: 'CRITICAL 12 events: client.rack=a, check=disk (2 new, 1 resolved)',
    output: [
      String.raw`CRITICAL (new) web-1/disk: no answer\x1b[2J`,
      String.raw`CRITICAL (new) web-2/disk: no answer\x1b[2J`,
      'RESOLVED web-3/disk: fine',
      String.raw`CRITICAL web-4/disk: no answer\x1b[2J`,
      'and 9 other events',
    ].join('\n'),
    facts: [
      ['client.rack', 'a'],
      ['check', 'disk'],
      ['Firing', '12'],
      ['Resolved', '1'],
      ['Omitted', '9'],
    ],
  });
});

test('the message of a group has a different title for a repeat, a resolution and a single event', () => {
  const messageOf = (more: Partial<GroupRun>) =>
    groupMessageOf({ namespace: 'default', group: { ...RUN, ...more }, nowMs: 0 });
  const again = { cause: 'repeat', new: 0, resolved: 0 } as const;
  expect(messageOf(again).title).toBe('CRITICAL 12 events: client.rack=a, check=disk (again)');
  const over = messageOf({ firing: 0, severity: 'ok', new: 0, resolved: 2 });
  expect([over.kind, over.title]).toEqual(['resolved', 'RESOLVED 2 events: client.rack=a, check=disk']);
  const single = messageOf({ omitted: 0, events: RUN.events.slice(0, 1) });
  expect(single.title).toBe(String.raw`CRITICAL web-1/disk: no answer\x1b[2J`);
  expect(single.key).toBe(RUN.id);
});

test('the message of a group folds many events with the same check and state into one line', () => {
  const web = Array.from({ length: 15 }, (_, at) => event(`web-${String(at)}`, 'new'));
  const db = event('db-1', 'new', { check: { name: 'load', output: '' } });
  const { output } = groupMessageOf({ namespace: 'default', group: { ...RUN, events: [...web, db] }, nowMs: 0 });
  expect(output.split('\n')).toEqual([
    String.raw`CRITICAL (new) disk on web-0, web-1 and 13 others: no answer\x1b[2J`,
    'CRITICAL (new) db-1/load',
    'and 9 other events',
  ]);
});

const message = { namespace: 'default', event: anEvent(), group: RUN, output: undefined, nowMs: 0 };

test('the message of a group uses the id of the group as its deduplication key', () => {
  const handler = handlerSchema.parse({ type: 'webhook', preset: 'pagerduty', routing_key: 'k', group_by: ['check'] });
  const { body } = presetRequest(handler as Parameters<typeof presetRequest>[0], message);
  expect(body).toMatchObject({ event_action: 'trigger', dedup_key: RUN.id });
});

const email = (subject: string): RunningHandler =>
  handlerSchema.parse({
    type: 'email',
    smtp: { host: 'localhost' },
    from: 'a@b.c',
    to: 'a@b.c',
    group_by: ['check'],
    templates: { subject },
  }) as RunningHandler;

test('a template of a handler with group_by gets the group instead of an event, and is checked when it is loaded', () => {
  const handler = email('{{ severity }} {{ group.firing }} in {{ group.label }}');
  expect(templateRemarks(handler)).toEqual([]);
  expect(mailOf(handler as Parameters<typeof mailOf>[0], message)).toMatchObject({
    subject: 'critical 12 in client.rack=a, check=disk',
    problems: [],
  });
  expect(templateRemarks(email('{{ event.client.name }}')).map(({ name }) => name)).toEqual(['subject']);
});
