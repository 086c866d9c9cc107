import { expect, test } from 'vitest';
import type { EventExplanation } from '../../../shared/schemas/explain.ts';
import { notificationAnswer } from '../../../tui/words/notified-text.ts';

const NOW_MS = 1_000_000;
const OCCURRENCES = 'filtered by occurrences: only handling every 60 occurrences';

type Handler = EventExplanation['handlers'][number];

function aHandler(about: Partial<Handler> = {}): Handler {
  return { handler: 'journal', verdict: 'handle', reason: 'all conditions are met', delivery: null, ...about };
}

function sent(state = 'delivered', secondsAgo = 60): NonNullable<Handler['delivery']> {
  return { state, at: NOW_MS / 1000 - secondsAgo, attempts: 1 };
}

function notificationText(handlers: readonly Handler[], reason = 'no handler runs: its check has no handlers'): string {
  const event = { id: 'x', status: 2, action: 'create' as const, occurrences: 2, silenced_by: [] };
  return notificationAnswer({ client: 'web-1', check: 'http', event, reason, handlers: [...handlers] }, NOW_MS) ?? '';
}

test.each<{ title: string; handlers: readonly Handler[]; text: string }>([
  {
    title: 'who was notified, and at which occurrence again',
    handlers: [
      aHandler({
        verdict: 'filtered',
        reason: OCCURRENCES,
        filter: 'occurrences',
        next_occurrence: 60,
        notified: true,
        delivery: sent(),
      }),
    ],
    text: 'notified: journal 1m ago; next at the 60th occurrence (filter occurrences)',
  },
  {
    title: 'failed and pending notifications, and why they failed',
    handlers: [
      aHandler({ handler: 'pager', notified: true, delivery: { ...sent('failed'), attempts: 5, reason: 'refused' } }),
      aHandler({ handler: 'mail', notified: true, delivery: sent('queued', 2) }),
    ],
    text: 'pending: mail 2s ago; failed: pager 1m ago (5 tries: refused); again with the next result',
  },
  {
    title: 'a notification from before the backend restarted, without its time',
    handlers: [aHandler({ notified: true, verdict: 'silenced', reason: 'it is silenced' })],
    text: 'notified: journal; not again for now: it is silenced',
  },
  {
    title: 'that a notification waits for its group, until when and how long',
    handlers: [
      aHandler({ notified: false, delivery: sent(), group: { due_at: NOW_MS / 1000 + 20 } }),
      aHandler({ handler: 'mail', notified: true, delivery: sent('delivered', 2) }),
    ],
    text: 'notified: mail 2s ago; waits for its group: journal until 00:17:00Z (20s); again with the next result',
  },
  {
    title: 'that a group with a repetition was notified, also without its run',
    handlers: [aHandler({ notified: true, group: { due_at: NOW_MS / 1000 + 20 } })],
    text: 'notified: journal; again with the next result',
  },
  {
    title: 'nothing about the group that leaves out an inhibited event',
    handlers: [aHandler({ notified: false, verdict: 'inhibited', group: { due_at: NOW_MS / 1000 + 20 } })],
    text: 'not notified: its check has no handlers',
  },
  {
    title: 'that a last run is about an earlier event',
    handlers: [aHandler({ notified: false, verdict: 'severity', reason: 'no', delivery: sent() })],
    text: 'not notified: its check has no handlers',
  },
  {
    title: 'that the next result will notify a handler',
    handlers: [aHandler({ notified: false })],
    text: 'not notified yet: journal with the next result',
  },
  {
    title: 'nothing about the next notification if each handler has its own reason',
    handlers: [
      aHandler({ notified: true, delivery: sent() }),
      aHandler({ handler: 'mail', notified: true, delivery: sent(), verdict: 'filtered', reason: 'filtered by x: y' }),
    ],
    text: 'notified: journal 1m ago, mail 1m ago',
  },
  {
    title: 'the last run of a handler if an older backend does not say whether it is about this event',
    handlers: [aHandler({ delivery: sent() })],
    text: 'notified: journal 1m ago; again with the next result',
  },
  { title: 'why nobody was notified', handlers: [], text: 'not notified: its check has no handlers' },
])('the answer about the notifications of an event says $title', ({ handlers, text }) => {
  expect(notificationText(handlers)).toBe(text);
});

test.each([
  { next: 1, ordinal: '1st' },
  { next: 12, ordinal: '12th' },
  { next: 22, ordinal: '22nd' },
  { next: 103, ordinal: '103rd' },
  { next: 111, ordinal: '111th' },
])('the next notification at occurrence $next is at the $ordinal occurrence', ({ next, ordinal }) => {
  const handler = aHandler({ notified: true, delivery: sent(), next_occurrence: next, filter: 'occurrences' });
  expect(notificationText([handler])).toContain(`next at the ${ordinal} occurrence`);
});

test('there is no answer about the notifications of a check without an event', () => {
  const explanation = { client: 'a', check: 'b', event: null, reason: 'there is no event', handlers: [] };
  expect(notificationAnswer(explanation, NOW_MS)).toBeUndefined();
});
