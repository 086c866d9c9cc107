import { expect, test } from 'vitest';
import { SentResults } from '../../../daemon/agent/sent-results.ts';
import type { SpooledResult } from '../../../daemon/agent/unsaved-results.ts';

const spooled = (...ids: number[]): SpooledResult[] => ids.map((id) => ({ id, text: '{"name":"disk"}' }));

/** Returns a state with the results 11 to 14 in flight, of which the backend has acknowledged 11 and 12. */
function halfAcknowledged(): SentResults {
  const sent = new SentResults({ acked: 10, window: 5, signature: undefined });
  sent.nextFrame(spooled(11, 12, 13, 14));
  sent.acknowledge(12);
  return sent;
}

test('a results frame contains its results in order, and they reduce the remaining window', () => {
  const sent = new SentResults({ acked: 10, window: 5, signature: 's3cr3t' });
  expect(JSON.parse(sent.nextFrame(spooled(11, 12)))).toEqual({
    type: 'results',
    results: [
      { id: 11, signature: 's3cr3t', check: { name: 'disk' } },
      { id: 12, signature: 's3cr3t', check: { name: 'disk' } },
    ],
  });
  expect(sent).toMatchObject({ sentId: 12, ackedId: 10, remainingWindow: 3, isAcknowledged: false });
});

test('an acknowledgment enlarges the window, but counts at most the results that were sent', () => {
  const sent = halfAcknowledged();
  expect(sent).toMatchObject({ ackedId: 12, remainingWindow: 3, isAcknowledged: false });
  sent.acknowledge(99);
  expect(sent).toMatchObject({ ackedId: 14, remainingWindow: 5, isAcknowledged: true });
  sent.acknowledge(13);
  expect(sent).toMatchObject({ ackedId: 14 });
});

test('after a resend request only the next frame names the id from which the agent resumes', () => {
  const sent = halfAcknowledged();
  expect(sent.rewind(13)).toBe(true);
  expect(sent).toMatchObject({ sentId: 13, remainingWindow: 4, rewinds: 1 });
  expect(JSON.parse(sent.nextFrame(spooled(14)))).toMatchObject({ resume_after: 13, results: [{ id: 14 }] });
  expect(JSON.parse(sent.nextFrame(spooled(15)))).not.toHaveProperty('resume_after');
});

test('acknowledged results are not sent again, even if the backend requests a resend of them', () => {
  const sent = halfAcknowledged();
  expect(sent.rewind(11)).toBe(true);
  expect(sent).toMatchObject({ sentId: 12, ackedId: 12 });
  expect(JSON.parse(sent.nextFrame(spooled(13)))).toMatchObject({ resume_after: 11, results: [{ id: 13 }] });
});

test('a resend request for a result that was never sent is rejected', () => {
  const sent = halfAcknowledged();
  expect(sent.rewind(15)).toBe(false);
  expect(sent).toMatchObject({ sentId: 14, rewinds: 0 });
});
