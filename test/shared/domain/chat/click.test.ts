import { expect, test } from 'vitest';
import { mattermostCallback, slackCallback, telegramCallback } from '../../../../shared/domain/chat/click.ts';

const slackBody = (payload: unknown): string => `payload=${encodeURIComponent(JSON.stringify(payload))}`;

const SLACK_CLICK = {
  type: 'block_actions',
  user: { id: 'U1', username: 'ada' },
  actions: [{ value: 'v' }],
  response_url: 'https://hooks.slack.com/actions/T/1/x',
};

test('a click in Slack contains the value of its button, its user and the URL for the response', () => {
  expect(slackCallback(slackBody(SLACK_CLICK))).toEqual({
    id: undefined,
    value: 'v',
    user: { service: 'slack', id: 'U1', name: 'ada' },
    reply: { service: 'slack', responseUrl: 'https://hooks.slack.com/actions/T/1/x' },
  });
});

test('a click in Mattermost contains the value of its button, its user and its id', () => {
  const body = JSON.stringify({ user_id: 'i', user_name: 'ada', trigger_id: 't', context: { value: 'v' } });
  expect(mattermostCallback(body)).toEqual({
    id: 't',
    value: 'v',
    user: { service: 'mattermost', id: 'i', name: 'ada' },
    reply: { service: 'mattermost' },
  });
});

test('a click in Telegram contains the value of its button, its user and its message', () => {
  const query = {
    id: 'q',
    from: { id: 7, first_name: 'Ada' },
    data: 'v',
    message: { message_id: 3, chat: { id: -1 } },
  };
  expect(telegramCallback(JSON.stringify({ update_id: 1, callback_query: query }))).toEqual({
    id: 'q',
    value: 'v',
    user: { service: 'telegram', id: '7', name: 'Ada' },
    reply: { service: 'telegram', queryId: 'q', message: { chat: -1, id: 3 } },
  });
});

test.each([
  ['a Slack interaction of another type', slackCallback(slackBody({ ...SLACK_CLICK, type: 'view_closed' }))],
  ['a Slack click on an element without a value', slackCallback(slackBody({ ...SLACK_CLICK, actions: [{}] }))],
  ['a Telegram message to the bot', telegramCallback('{"update_id":1,"message":{"text":"/start"}}')],
])('%s is ignored', (_title, callback) => {
  expect(callback).toBe('ignored');
});

test.each([
  ['an empty body of Slack', slackCallback('')],
  ['a Slack form without a payload', slackCallback('a=b&c=d')],
  ['a Slack payload with a broken escape', slackCallback('payload=%zz')],
  ['a Slack payload that is no JSON', slackCallback('payload=%7B')],
  ['a Slack payload with a user without an id', slackCallback(slackBody({ ...SLACK_CLICK, user: {} }))],
  ['a Mattermost body without a context', mattermostCallback('{"user_id":"i"}')],
  ['a Mattermost body that is no object', mattermostCallback('[]')],
  ['a Telegram body with a text as user id', telegramCallback('{"callback_query":{"id":"q","from":{"id":"7"}}}')],
  ['a Telegram body that is no JSON', telegramCallback('{')],
])('%s is malformed', (_title, callback) => {
  expect(callback).toBe('malformed');
});
