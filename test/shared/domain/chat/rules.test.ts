import { describe, expect, test } from 'vitest';
import { personOfChatUser, sharedChatUsers } from '../../../../shared/domain/chat/chat-user.ts';
import { clickNote, idleClickText } from '../../../../shared/domain/chat/decide-click.ts';
import { timestampProblem } from '../../../../shared/domain/chat/freshness.ts';
import { isAllowedResponseUrl } from '../../../../shared/domain/chat/response-url.ts';
import type { Acknowledgement } from '../../../../shared/schemas/acknowledgement.ts';
import type { PersonDefinition } from '../../../../shared/schemas/on-call.ts';

/** An acknowledgement with this owner. */
function owned(owner: string): Acknowledgement {
  return { owner, at: 1, status: 2 };
}

const NOW_MS = Date.UTC(2026, 0, 1);
const ID = 'abcdefghijklmnopqrstuvwxyz';

const PEOPLE = new Map<string, Pick<PersonDefinition, 'chat'>>([
  ['ada', { chat: { slack: 'U1', mattermost: 'ada.l', telegram: 7 } }],
  ['bob', { chat: { mattermost: ID } }],
  ['cy', {}],
]);

describe('the person whom a chat user stands for', () => {
  test.each([
    { person: 'ada', user: { service: 'slack', id: 'U1', name: 'x' } },
    { person: undefined, user: { service: 'slack', id: 'U2', name: 'U1' } },
    { person: 'ada', user: { service: 'telegram', id: '7', name: undefined } },
    { person: undefined, user: { service: 'telegram', id: '8', name: '7' } },
    { person: 'ada', user: { service: 'mattermost', id: 'z', name: 'ada.l' } },
    { person: 'bob', user: { service: 'mattermost', id: ID, name: 'bob' } },
    // A user of Mattermost can take the ID of somebody else as a name.
    { person: undefined, user: { service: 'mattermost', id: 'z', name: ID } },
    { person: undefined, user: { service: 'mattermost', id: 'ada.l', name: 'eve' } },
  ] as const)('the user $user.id with the name $user.name of $user.service is $person', ({ person, user }) => {
    expect(personOfChatUser(PEOPLE, user)).toBe(person);
  });

  test('a chat user that two people have is found', () => {
    const people = new Map([...PEOPLE, ['dee', { chat: { telegram: 7 } }]]);
    expect([...sharedChatUsers(people)]).toEqual([{ person: 'dee', other: 'ada', service: 'telegram' }]);
    expect([...sharedChatUsers(PEOPLE)]).toEqual([]);
  });
});

describe('a click that changes nothing', () => {
  const STATE = { person: 'ada', acknowledgement: undefined, silence: undefined, nowMs: NOW_MS };
  test.each([
    { action: 'acknowledge', state: {}, text: undefined },
    { action: 'acknowledge', state: { acknowledgement: owned('ada') }, text: 'You have already acknowledged' },
    { action: 'acknowledge', state: { acknowledgement: owned('bob') }, text: 'bob already works on this problem' },
    { action: 'silence', state: { acknowledgement: owned('bob') }, text: undefined },
    { action: 'silence', state: { silence: { expireAtMs: NOW_MS + 3_599_000 } }, text: undefined },
    {
      action: 'silence',
      state: { silence: { expireAtMs: NOW_MS + 3_600_000 } },
      text: 'silenced until 2026-01-01 01:00',
    },
    { action: 'silence', state: { silence: { expireAtMs: null } }, text: 'silenced without an end' },
    { action: 'resolve', state: { acknowledgement: owned('bob') }, text: undefined },
  ] as const)('the action $action with the state $state says $text', ({ action, state, text }) => {
    const said = idleClickText({ ...STATE, ...state, action });
    expect(said ?? '').toMatch(text === undefined ? /^$/ : new RegExp(text));
  });

  test('the note about a click names the person and the end of a silence', () => {
    expect(clickNote('acknowledge', 'ada', NOW_MS)).toBe('Acknowledged by ada');
    expect(clickNote('silence', 'ada', NOW_MS)).toBe('Silenced until 2026-01-01 01:00:00Z by ada');
    expect(clickNote('resolve', 'ada', NOW_MS)).toBe('Resolved by ada');
  });
});

test.each([
  [0, true],
  [300, true],
  [-300, true],
  [301, false],
  [-301, false],
])('a callback %d seconds away from now is accepted: %s', (seconds, isAccepted) => {
  expect(timestampProblem(String(NOW_MS / 1000 + seconds), NOW_MS) === undefined).toBe(isAccepted);
});

test.each(['', 'now', '1e9', '-1', '99999999999999999999'])('the timestamp "%s" is not accepted', (timestamp) => {
  expect(timestampProblem(timestamp, NOW_MS)).toBeDefined();
});

describe('the response URL of a callback', () => {
  const OWN = 'https://hooks.slack.com/services/T/B/x';
  test.each([
    ['https://hooks.slack.com/actions/T/1/x', OWN, true],
    ['https://hooks.slack-gov.com/actions/T/1/x', OWN, true],
    ['http://hooks.slack.com/actions/T/1/x', OWN, false],
    ['https://hooks.slack.com.example.com/x', OWN, false],
    ['https://hooks.slack.com@example.com/x', OWN, false],
    ['https://hooks.slack.com:8443/x', OWN, false],
    ['https://hooks.slack.com\\@example.com/x', OWN, false],
    ['https://example.com/?https://hooks.slack.com/', OWN, false],
    ['http://169.254.169.254/latest', OWN, false],
    ['http://127.0.0.1:4567/', OWN, false],
    ['http://127.0.0.1:9000/reply', 'http://127.0.0.1:9000/hook', true],
    ['http://127.0.0.1:9001/reply', 'http://127.0.0.1:9000/hook', false],
    ['http://127.0.0.1:90001/reply', 'http://127.0.0.1:9000/hook', false],
    ['http://10.0.0.1/reply', 'http://10.0.0.1/hook', false],
    ['https://example.com/reply', 'https://example.com/hook', false],
    ['http://localhost.example.com/reply', 'http://localhost.example.com/hook', false],
  ])('the URL %s for a handler with the URL %s is allowed: %s', (responseUrl, handlerUrl, isAllowed) => {
    expect(isAllowedResponseUrl(responseUrl, handlerUrl)).toBe(isAllowed);
  });
});
