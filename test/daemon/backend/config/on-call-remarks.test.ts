import { expect, test } from 'vitest';
import { validateSettings } from '../../../../daemon/backend/config/validate-settings.ts';
import type { Remark } from '../../../../daemon/settings/remark.ts';

const PIPE = { type: 'pipe', command: 'true' };
const NOW = Date.parse('2026-01-05T12:00:00Z');

function remarksOf(settings: Parameters<typeof validateSettings>[0]): { problems: string[]; warnings: string[] } {
  const { problems, warnings } = validateSettings(settings, NOW);
  return { problems: problems.map(textOf), warnings: warnings.map(textOf) };
}

function textOf({ path, message }: Remark): string {
  return `${path.join('.')} ${message}`;
}

test('a schedule of defined people with defined handlers has no problems', () => {
  expect(
    remarksOf({
      handlers: { mail: PIPE },
      people: { ada: { email: 'ada@example.com', notify: ['mail'] } },
      schedules: { database: { 'time-zone': 'Europe/Berlin', layers: [{ people: ['ada'], handover: 'mon 09:00' }] } },
      checks: { disk: { command: 'true', interval: 60, subscribers: ['all'], handlers: ['on-call/database'] } },
    }),
  ).toEqual({ problems: [], warnings: [] });
});

test('an unknown person in a layer, and a schedule in place of a handler, are problems', () => {
  expect(
    remarksOf({
      people: { ada: { notify: ['on-call/database'] } },
      schedules: { database: { layers: [{ people: ['ada', 'bob'] }] }, 'a/b': { layers: [{ people: ['ada'] }] } },
    }).problems,
  ).toEqual([
    'schedules.a/b must be word characters, dots and hyphens only',
    'schedules.database.layers.0.people refers to the person "bob", who is not defined in people',
    'people.ada.notify must name handlers, not schedules',
  ]);
});

test('a person without a defined handler, a gap and an unknown schedule are warnings', () => {
  expect(
    remarksOf({
      people: { ada: { notify: ['mail'] } },
      schedules: { database: { layers: [{ people: ['ada'], hours: 'mon-fri 08:00-18:00' }] } },
      checks: { disk: { command: 'true', interval: 60, subscribers: ['all'], handlers: ['on-call/web'] } },
    }),
  ).toEqual({
    problems: [],
    warnings: [
      'checks.disk refers to the schedule "web", which is not defined',
      'people.ada.notify refers to the handler "mail", which is not defined',
      'schedules.database has a gap: nobody is on call from Mon 2026-01-05 18:00 UTC until Tue 2026-01-06 08:00 UTC, ' +
        'unless an override fills it',
    ],
  });
});

test('a chat user of two people, a name in place of an ID and buttons of another preset are problems', () => {
  const buttons = { callback_token: 'token-0123456789abcdef', secret: 'too short', api_key: 'mk_0_0' };
  const { problems } = remarksOf({
    handlers: {
      mail: PIPE,
      chat: { type: 'webhook', preset: 'mattermost', url: 'https://chat.example.com/hooks/x', buttons },
      team: { type: 'webhook', preset: 'teams', url: 'https://flows.example.com/x', buttons },
    },
    people: {
      ada: { notify: ['mail'], chat: { telegram: 7, slack: 'U012AB3CD' } },
      bob: { notify: ['mail'], chat: { telegram: 7, mattermost: 'bob' } },
      cy: { notify: ['mail'], chat: { slack: 'cy' } },
    },
  });
  expect(problems).toEqual(
    expect.arrayContaining([
      expect.stringContaining('handlers.chat.buttons.secret must be 16 to 128 letters'),
      expect.stringContaining('handlers.team.buttons is only allowed with the presets slack, mattermost, and telegram'),
      expect.stringContaining('people.cy.chat.slack must be a member ID'),
      'people.bob.chat.telegram is also the chat user of ada: remove one of them',
    ]),
  );
});
