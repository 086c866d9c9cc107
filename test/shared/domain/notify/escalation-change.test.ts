import { expect, test } from 'vitest';
import { escalationChange, escalationChangeText } from '../../../../shared/domain/notify/escalation-change.ts';
import type { EscalationState } from '../../../../shared/schemas/escalation.ts';

const NOW = 1_800_000_000;
const BASE: EscalationState = { handler: 'page', step: 1, of: 3, notified: ['chat'], status: 2 };
const ACTIVE: EscalationState = { ...BASE, due: NOW + 600 };
const PAUSED: EscalationState = { ...BASE, remaining: 300 };

type Change = Parameters<typeof escalationChange>;

test.each<{ name: string; change: Change; state: string | undefined; text?: string }>([
  {
    name: 'an escalation whose first step waits has started',
    change: [undefined, { ...ACTIVE, step: 0 }],
    state: 'started',
    text: 'page: started',
  },
  {
    name: 'a step names the handlers that it notified',
    change: [ACTIVE, { ...ACTIVE, step: 2 }, { notified: ['ada', 'bob'] }],
    state: 'notified',
    text: 'page: step 2 of 3 notified ada, bob',
  },
  {
    name: 'a step whose handlers do not accept the event notified nobody',
    change: [ACTIVE, { ...ACTIVE, step: 2 }],
    state: 'notified',
    text: 'page: step 2 of 3 notified nobody',
  },
  {
    name: 'a repetition is a step that is notified again',
    change: [{ ...ACTIVE, step: 3 }, { ...ACTIVE, step: 3, repeats: 1 }, { notified: ['boss'] }],
    state: 'notified',
    text: 'page: repetition 1 of step 3 of 3 notified boss',
  },
  {
    name: 'a pause names its reason',
    change: [ACTIVE, PAUSED, { reason: 'acknowledged' }],
    state: 'paused',
    text: 'page: paused after step 1 of 3: the event is acknowledged',
  },
  {
    name: 'a pause before the first step says so',
    change: [{ ...ACTIVE, step: 0 }, { ...PAUSED, step: 0 }, { reason: 'silenced' }],
    state: 'paused',
    text: 'page: paused before its first step: the event is silenced',
  },
  {
    name: 'a resumed escalation has no reason',
    change: [PAUSED, ACTIVE, { reason: 'acknowledged' }],
    state: 'resumed',
    text: 'page: resumed after step 1 of 3',
  },
  {
    name: 'an end names its reason',
    change: [PAUSED, BASE, { reason: 'removed' }],
    state: 'ended',
    text: 'page: ended after step 1 of 3: its definition was removed',
  },
  { name: 'a longer pause is no change', change: [PAUSED, PAUSED, { reason: 'silenced' }], state: undefined },
  {
    name: 'a worse status is no change of the escalation',
    change: [ACTIVE, { ...ACTIVE, status: 1 }],
    state: undefined,
  },
  { name: 'the end of an escalation that has ended is no change', change: [BASE, BASE], state: undefined },
])('$name', ({ change, state, text }) => {
  const recorded = escalationChange(...change);
  expect(recorded?.state).toBe(state);
  expect(recorded && escalationChangeText(recorded)).toBe(text);
});
