import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import {
  buttonActionsOf,
  buttonClaim,
  parseButtonValue,
  signedButtonText,
} from '../../../../shared/domain/chat/button.ts';
import { BUTTON_ACTIONS } from '../../../../shared/schemas/chat.ts';
import { anEvent } from '../../../support/a-job.ts';

const MAC = 'abcdefghijklmnopqrst-_';

test('the value of a button contains its action and its event, within the 64 bytes of Telegram', () => {
  fc.assert(
    fc.property(fc.constantFrom(...BUTTON_ACTIONS), fc.uuid(), (action, eventId) => {
      const claim = buttonClaim(action, eventId) ?? '';
      expect(claim.length + MAC.length).toBeLessThanOrEqual(64);
      expect(parseButtonValue(`${claim}${MAC}`)).toEqual({ action, eventId, claim, mac: MAC });
    }),
  );
});

test('an event whose id is no UUID has no buttons', () => {
  expect(buttonClaim('resolve', 'event-1')).toBeUndefined();
});

test.each(['', 'x', `1x${'0'.repeat(32)}${MAC}`, `2a${'0'.repeat(32)}${MAC}`, `1a${'0'.repeat(32)}${MAC}x`])(
  'the text "%s" is not the value of a button',
  (value) => {
    expect(parseButtonValue(value)).toBeUndefined();
  },
);

test('the signature of a button covers its preset, its namespace, its handler and its claim', () => {
  const owner = { preset: 'slack', namespace: 'a', handler: 'b' };
  const texts = [
    signedButtonText(owner, 'c'),
    signedButtonText({ ...owner, preset: 'telegram' }, 'c'),
    signedButtonText({ ...owner, namespace: 'a","b' }, 'c'),
    signedButtonText({ ...owner, handler: 'x' }, 'c'),
    signedButtonText(owner, 'd'),
  ];
  expect(new Set(texts).size).toBe(texts.length);
});

describe('the buttons of a message', () => {
  const ADA = { by: 'ada', at: 1 };
  test.each([
    { event: 'a problem', about: {}, actions: ['acknowledge', 'silence', 'resolve'] },
    { event: 'an acknowledged problem', about: { acknowledged: ADA }, actions: ['silence', 'resolve'] },
    { event: 'a silenced problem', about: { silenced: true }, actions: ['acknowledge', 'resolve'] },
    { event: 'a resolution', about: { action: 'resolve' as const }, actions: [] },
    { event: 'an OK result', about: { check: { status: 0 } }, actions: [] },
  ])('a message about $event has the buttons $actions', ({ about, actions }) => {
    expect(buttonActionsOf(anEvent(about))).toEqual(actions);
  });
});
