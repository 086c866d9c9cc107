import { expect, test } from 'vitest';
import { escalationText, nextEscalation, shortEscalationText } from '../../../tui/words/escalation-text.ts';

const NOW = 1_800_000_000;
const PAGE = { handler: 'page', step: 2, of: 3, at: NOW - 240 };

test.each([
  {
    name: 'an escalation shows the time until its next step',
    escalation: { ...PAGE, due: NOW + 960 },
    short: '2/3 16m',
    text: 'page: step 2 of 3 was notified 4m ago, the next one follows in 16m',
  },
  {
    name: 'a paused escalation says so',
    escalation: { ...PAGE, remaining: 360 },
    short: '2/3 paused',
    text: 'page: step 2 of 3 was notified 4m ago, paused 6m before the next one',
  },
  {
    name: 'an escalation at its end names its last step',
    escalation: { ...PAGE, step: 3 },
    short: '3/3',
    text: 'page: step 3 of 3 was notified 4m ago, no other one follows',
  },
  {
    name: 'an escalation that waits for its first step says so',
    escalation: { handler: 'page', step: 0, of: 3, due: NOW + 60 },
    short: '0/3 1m',
    text: 'page: none of 3 steps was notified yet, the next one follows in 1m',
  },
])('$name', ({ escalation, short, text }) => {
  expect(shortEscalationText(escalation, NOW * 1000)).toBe(short);
  expect(escalationText(escalation, NOW * 1000)).toBe(text);
});

test('the list shows the escalation with the next step if an event has several', () => {
  const paused = { ...PAGE, remaining: 1 };
  const later = { ...PAGE, due: NOW + 600 };
  const sooner = { ...PAGE, due: NOW + 60 };
  expect(nextEscalation([{ ...PAGE }, paused, later, sooner])).toBe(sooner);
  expect(nextEscalation([{ ...PAGE }, paused])).toBe(paused);
  expect(nextEscalation([])).toBeUndefined();
});
