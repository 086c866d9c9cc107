import { createHmac } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { CHAT_SERVICES } from '../../../../shared/schemas/chat.ts';
import { asking } from '../../../support/asking.ts';
import { ChatRig, SECRETS, USERS, type ChatMessage } from '../../../support/chat-rig.ts';
import { HttpReceiver } from '../../../support/http-receiver.ts';

/** Opens a problem of web-1/disk and returns the message about it. */
async function problem(rig: ChatRig): Promise<ChatMessage> {
  await rig.report(2);
  return await rig.message(1);
}

describe.each(CHAT_SERVICES)('buttons in %s', (service) => {
  test(`a user of ${service} acknowledges a problem, and the message says who has it`, async () => {
    const rig = await ChatRig.open(service);
    const { buttons } = await problem(rig);
    expect(Object.keys(buttons)).toEqual(['acknowledge', 'silence', 'resolve']);
    for (const value of Object.values(buttons)) expect(Buffer.byteLength(value)).toBeLessThanOrEqual(64);

    const answer = await rig.click({ value: buttons['acknowledge'] ?? '' });
    expect(answer.status).toBe(200);
    expect(await rig.event()).toMatchObject({ acknowledged: { by: 'ada' } });
    const updates = [JSON.stringify(answer.body)];
    // Mattermost gets the new message in the response; the others get a request. The handler is also notified.
    const requests = service === 'mattermost' ? 2 : 3;
    await rig.message(requests);
    updates.push(...rig.chat.received.slice(1).map(({ body }) => body));
    const update = updates.find((text) => /replace_original|message_id|"update"/.test(text)) ?? '';
    expect(update).toContain('Acknowledged by ada');
    expect(update).toContain('CRITICAL web-1/disk');
    // The changed message offers what is still possible.
    expect(update).toContain('Silence 1 h');
    expect(update).not.toContain('"Acknowledge"');
    expect(await rig.audited('event.acknowledge')).toMatchObject([
      {
        who: 'root',
        on_behalf_of: 'ada',
        how: expect.stringMatching(
          new RegExp(`^POST /api/mon/v1/hooks/${service}/\\.\\.\\. by (?:Slack|Mattermost|Telegram) user \\S+ \\(ada`),
        ) as string,
      },
    ]);
  });

  test(`a user of ${service} silences a problem for an hour`, async () => {
    const rig = await ChatRig.open(service);
    const { buttons } = await problem(rig);
    const answer = await rig.click({ value: buttons['silence'] ?? '' });
    expect(answer.status).toBe(200);
    const { body } = await rig.ask('GET', '/api/mon/v1/silenced');
    expect(body).toMatchObject([
      { id: 'client:web-1:disk', creator: 'ada', reason: expect.stringContaining('in ') as string },
    ]);
    const [{ expire }] = body as [{ readonly expire: number }];
    expect(expire).toBeGreaterThan(3500);
    expect(expire).toBeLessThanOrEqual(3600);
    expect(await rig.audited('silence.create')).toMatchObject([{ who: 'root', on_behalf_of: 'ada' }]);
  });

  test(`a user of ${service} resolves a problem, and the message loses its buttons`, async () => {
    const rig = await ChatRig.open(service);
    const { buttons } = await problem(rig);
    const answer = await rig.click({ value: buttons['resolve'] ?? '' });
    expect(answer.status).toBe(200);
    expect(await rig.event()).toBeUndefined();
    await rig.message(service === 'mattermost' ? 2 : 3);
    const texts = [JSON.stringify(answer.body), ...rig.chat.received.slice(1).map(({ body }) => body)];
    const update = texts.find((text) => /replace_original|message_id|"update"/.test(text)) ?? '';
    expect(update).toContain('Resolved by ada');
    expect(update).not.toContain('Silence 1 h');
    expect(await rig.audited('event.resolve')).toMatchObject([{ who: 'root', on_behalf_of: 'ada' }]);
  });

  test(`a user of ${service} whom nobody has mapped is refused, and the chat says how to add the mapping`, async () => {
    const rig = await ChatRig.open(service);
    const { buttons } = await problem(rig);
    const answer = await rig.click({ user: 'stranger', value: buttons['acknowledge'] ?? '' });
    expect(answer.status).toBe(200);
    expect(await textFor(rig, answer.body, 2)).toContain(`chat: { ${service}: ${USERS[service].stranger} }`);
    expect(await rig.event()).not.toHaveProperty('acknowledged');
    expect(await rig.audited('event.acknowledge')).toEqual([]);
  });

  test(`a button in ${service} without the right scope of the API key is refused`, async () => {
    const rig = await ChatRig.open(service, { scopes: ['silence'] });
    const { buttons } = await problem(rig);
    const answer = await rig.click({ value: buttons['resolve'] ?? '' });
    expect(await textFor(rig, answer.body, 2)).toContain('lacks the scope resolve');
    expect(await rig.event()).toMatchObject({ action: 'create' });
  });

  test(`a button in ${service} of a resolved problem does not act on the next problem of the check`, async () => {
    const rig = await ChatRig.open(service);
    const { buttons } = await problem(rig);
    await rig.report(0);
    await rig.report(2);
    await rig.message(3);
    for (const [at, action] of (['acknowledge', 'silence', 'resolve'] as const).entries()) {
      const answer = await rig.click({ value: buttons[action] ?? '' });
      expect(await textFor(rig, answer.body, 4 + at)).toContain('This problem has resolved.');
    }
    expect(await rig.event()).toMatchObject({ action: 'create', silenced: false });
    expect(await rig.event()).not.toHaveProperty('acknowledged');
  });

  test(`a click in ${service} that arrives twice acts once`, async () => {
    const rig = await ChatRig.open(service);
    const { buttons } = await problem(rig);
    const { token, body, headers } = rig.request({ value: buttons['acknowledge'] ?? '' });
    expect((await rig.post(token, body, headers)).status).toBe(200);
    await rig.ask('DELETE', '/api/mon/v1/acknowledgements/web-1/disk');
    const again = await rig.post(token, body, headers);
    // Telegram would send an update again after an error.
    expect(again.status).toBe(service === 'telegram' ? 200 : 409);
    expect(await rig.event()).not.toHaveProperty('acknowledged');
  });

  test(`the first person who acknowledges in ${service} keeps the problem`, async () => {
    const rig = await ChatRig.open(service);
    const { buttons } = await problem(rig);
    await rig.click({ value: buttons['acknowledge'] ?? '' });
    const sent = service === 'mattermost' ? 2 : 3;
    await rig.message(sent);
    const mine = await rig.click({ value: buttons['acknowledge'] ?? '' });
    expect(await textFor(rig, mine.body, sent + 1)).toContain('You have already acknowledged this problem.');
    const theirs = await rig.click({ user: 'bob', value: buttons['acknowledge'] ?? '' });
    expect(await textFor(rig, theirs.body, sent + 2)).toContain('ada already works on this problem.');
    expect(await rig.event()).toMatchObject({ acknowledged: { by: 'ada' } });
  });

  test(`a callback of ${service} with a wrong secret is rejected`, async () => {
    const rig = await ChatRig.open(service);
    const { buttons } = await problem(rig);
    const value = buttons['acknowledge'] ?? '';
    const forged = service === 'mattermost' ? `${value.slice(0, -22)}${'A'.repeat(22)}` : value;
    const answer = await rig.click({ value: forged, secrets: { secret: 'guessed-0123456789abcdef' } });
    expect(answer).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    expect(await rig.event()).not.toHaveProperty('acknowledged');
  });

  test(`a callback of ${service} to the URL of another handler is rejected`, async () => {
    const rig = await ChatRig.open(service);
    const other = { callback_token: 'other-token-0123456789', secret: 'other-secret-0123456789' };
    await rig.putHandler('other', { buttons: { ...other, api_key: await rig.grantKey(['silence']) } });
    const { buttons } = await problem(rig);
    const { callback_token } = other;
    const answer = await rig.click({ value: buttons['acknowledge'] ?? '', secrets: { callback_token } });
    expect(answer).toMatchObject({ status: 401, body: { code: 'unauthenticated' } });
    // The correct secret of the other handler does not make the button of the first one valid.
    const secrets = { ...other };
    const second = await rig.click({ value: buttons['acknowledge'] ?? '', secrets });
    expect(second.status).toBe(service === 'mattermost' ? 401 : 200);
    expect(await rig.event()).not.toHaveProperty('acknowledged');
  });

  test(`handlers of one ${service} app share its URL, and each button belongs to its own handler`, async () => {
    const rig = await ChatRig.open(service);
    const { secret, callback_token } = SECRETS;
    const api_key = await rig.grantKey(['silence']);
    await rig.putHandler('second', { buttons: { secret, callback_token, api_key } });
    await rig.report(2, ['second']);
    const { buttons } = await rig.message(1);
    // The key of the second handler lacks the scope resolve; that of the first one has it.
    const answer = await rig.click({ value: buttons['resolve'] ?? '' });
    expect(await textFor(rig, answer.body, 2)).toContain('lacks the scope resolve');
  });

  test(`a callback of ${service} with a body of 10 MB is rejected`, async () => {
    const rig = await ChatRig.open(service);
    const { token, headers } = rig.request({ value: 'x' });
    const answer = await rig.post(token, 'x'.repeat(10_000_000), headers);
    expect(answer).toMatchObject({ status: 413, body: { code: 'too_large' } });
  });

  test(`a callback of ${service} to an unknown URL does not say which URLs exist`, async () => {
    const rig = await ChatRig.open(service);
    const { body, headers } = rig.request({ value: 'x' });
    for (const token of ['guess-0123456789abcdef', 'secret-0123456789abcdef', 'x']) {
      expect(await rig.post(token, body, headers)).toMatchObject({ status: 404, body: { code: 'not_found' } });
    }
  });

  test(`the buttons of ${service} act in the namespace of their handler`, async () => {
    const rig = await ChatRig.open(service, { namespace: 'team-a' });
    await rig.report(2, ['chat'], 'team-a');
    const { buttons } = await rig.message(1);
    await rig.report(2, []);
    await rig.click({ value: buttons['acknowledge'] ?? '' });
    expect(await rig.event('team-a')).toMatchObject({ acknowledged: { by: 'ada' } });
    expect(await rig.event()).not.toHaveProperty('acknowledged');
  });

  test(`messages in ${service} have no buttons without the setting public-url or without the attribute buttons`, async () => {
    const withoutUrl = await ChatRig.open(service, { settings: { 'public-url': undefined } });
    expect((await problem(withoutUrl)).buttons).toEqual({});
    const withoutButtons = await ChatRig.open(service, { attributes: { buttons: undefined } });
    expect((await problem(withoutButtons)).buttons).toEqual({});
  });

  test(`the secrets of the buttons in ${service} are redacted in the API and in tests of the handler`, async () => {
    const rig = await ChatRig.open(service);
    const reader = asking(rig.backend.url, `Key ${await rig.grantKey(['read'])}`);
    const { body } = await reader('GET', '/api/core/v2/namespaces/default/handlers/chat');
    expect(body).toMatchObject({
      mon: { buttons: { callback_token: 'REDACTED', secret: 'REDACTED', api_key: 'REDACTED' } },
    });
    const preview = await rig.ask('POST', '/api/mon/v1/handlers/chat/test', { dry_run: true });
    expect(JSON.stringify(preview.body)).not.toContain(SECRETS.callback_token);
    expect(JSON.stringify(preview.body)).toContain('REDACTED');
  });
});

describe('callbacks of Slack', () => {
  test.each([
    ['older', -301],
    ['newer', 301],
  ])('a signed callback that is %s than five minutes is rejected', async (_word, seconds) => {
    const rig = await ChatRig.open('slack');
    const { buttons } = await problem(rig);
    const at = Math.floor(Date.now() / 1000) + seconds;
    const answer = await rig.click({ value: buttons['acknowledge'] ?? '', at });
    expect(answer).toMatchObject({ status: 401, body: { error: expect.stringContaining('five minutes') as string } });
    expect(await rig.event()).not.toHaveProperty('acknowledged');
  });

  test('a response URL of another host gets no request', async () => {
    const rig = await ChatRig.open('slack');
    const { buttons } = await problem(rig);
    const foreign = await HttpReceiver.open();
    const answer = await rig.click({ value: buttons['acknowledge'] ?? '', responseUrl: foreign.url });
    expect(answer.status).toBe(200);
    await expect
      .poll(() => rig.backend.log.messages('warn'))
      .toContainEqual(expect.stringContaining('names a response URL of another host'));
    expect(foreign.received).toEqual([]);
  });

  test('an interaction that is no click gets an empty response', async () => {
    const rig = await ChatRig.open('slack');
    const { token } = rig.request({ value: 'x' });
    const body = new URLSearchParams({
      payload: JSON.stringify({ type: 'view_closed', user: { id: 'U0ADA' }, actions: [] }),
    }).toString();
    const at = String(Math.floor(Date.now() / 1000));
    const hash = createHmac('sha256', SECRETS.secret).update(`v0:${at}:${body}`).digest('hex');
    const headers = { 'x-slack-signature': `v0=${hash}`, 'x-slack-request-timestamp': at };
    expect(await rig.post(token, body, headers)).toMatchObject({ status: 200, body: {} });
  });
});

test('a message to the bot of Telegram gets an empty response', async () => {
  const rig = await ChatRig.open('telegram');
  const { token, headers } = rig.request({ value: 'x' });
  const body = JSON.stringify({ update_id: 2, message: { message_id: 1, text: '/start' } });
  expect(await rig.post(token, body, headers)).toMatchObject({ status: 200, body: {} });
});

test('more than 60 clicks in a minute at one URL are rejected', async () => {
  const rig = await ChatRig.open('telegram');
  for (let count = 0; count < 60; count++) expect((await rig.click({ value: 'x' })).status).toBe(200);
  expect(await rig.click({ value: 'x' })).toMatchObject({ status: 503, body: { code: 'unavailable' } });
});

test('a silence from a button obeys the silence policy, and a longer silence stays', async () => {
  const strict = await ChatRig.open('mattermost', { settings: { 'silence-policy': { 'max-expire': 600 } } });
  const first = await problem(strict);
  const refused = await strict.click({ value: first.buttons['silence'] ?? '' });
  expect(JSON.stringify(refused.body)).toContain('Not done: ');
  const rig = await ChatRig.open('mattermost');
  const { buttons } = await problem(rig);
  await rig.ask('POST', '/api/mon/v1/silenced', { subscription: 'client:web-1', check: 'disk', expire: 7200 });
  const idle = await rig.click({ value: buttons['silence'] ?? '' });
  expect(JSON.stringify(idle.body)).toContain('This problem is already silenced until');
});

test('a button whose API key was revoked does nothing', async () => {
  const rig = await ChatRig.open('mattermost');
  const { buttons } = await problem(rig);
  const { body } = await rig.ask('GET', '/api/core/v2/apikeys');
  const [{ metadata }] = body as [{ readonly metadata: { readonly name: string } }];
  expect((await rig.ask('DELETE', `/api/core/v2/apikeys/${metadata.name}`)).status).toBe(204);
  const answer = await rig.click({ value: buttons['acknowledge'] ?? '' });
  expect(JSON.stringify(answer.body)).toContain('The API key of the buttons is not valid');
  expect(await rig.event()).not.toHaveProperty('acknowledged');
});

/** Returns the text that the user who clicked gets: in the response, or in the request with this number. */
async function textFor(rig: ChatRig, response: unknown, count: number): Promise<string> {
  if (rig.service === 'slack') return String((await rig.message(count)).body['text']);
  const { ephemeral_text: ephemeral, text } = response as Record<string, unknown>;
  return String(ephemeral ?? text).replaceAll('\\', '');
}
