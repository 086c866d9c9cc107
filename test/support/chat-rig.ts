import { createHmac } from 'node:crypto';
import { onTestFinished, vi } from 'vitest';
import type { ChatService } from '../../shared/schemas/chat.ts';
import { asking, basic, type Ask } from './asking.ts';
import { HttpReceiver } from './http-receiver.ts';
import { PATIENCE } from './patience.ts';
import { send, type Answer } from './raw-http.ts';
import { startBackend, type RunningBackend } from './running-backend.ts';

/** The secrets of the buttons of a handler. */
interface ButtonSecrets {
  readonly callback_token: string;
  readonly secret: string;
}

/** The secrets of the handler `chat`. */
export const SECRETS: ButtonSecrets = { callback_token: 'token-0123456789abcdef', secret: 'secret-0123456789abcdef' };

const PEOPLE = {
  ada: { notify: ['mail'], chat: { slack: 'U0ADA', mattermost: 'ada.l', telegram: 1001 } },
  bob: { notify: ['mail'], chat: { slack: 'U0BOB', mattermost: 'bob', telegram: 1002 } },
};

/** The users of each chat: two people, and a user whom nobody has mapped to a person. */
export const USERS = {
  slack: { ada: 'U0ADA', bob: 'U0BOB', stranger: 'U0EVE' },
  mattermost: { ada: 'ada.l', bob: 'bob', stranger: 'eve' },
  telegram: { ada: '1001', bob: '1002', stranger: '1003' },
} as const;
type UserName = keyof (typeof USERS)['slack'];

/** A message in a chat, with the values of its buttons by their actions. */
export interface ChatMessage {
  readonly body: Readonly<Record<string, unknown>>;
  readonly buttons: Readonly<Record<string, string>>;
}

/** A click that a service sends, or that an attacker forges. */
interface SentClick {
  readonly user?: UserName;
  readonly value: string;
  /** Secrets with which the click is sent; default: those of the handler. */
  readonly secrets?: Partial<ButtonSecrets>;
  /** Epoch seconds in the signature of Slack; default: now. */
  readonly at?: number;
  /** The id of the click; default: a new one. */
  readonly id?: string;
  /** Response URL of Slack; default: that of the receiver. */
  readonly responseUrl?: string;
}

/** The differences from a handler `chat` in the namespace `default` whose API key has all required scopes. */
interface RigOptions {
  /** Sections of the configuration. */
  readonly settings?: Readonly<Record<string, unknown>>;
  /** Scopes of the API key of the buttons. */
  readonly scopes?: readonly string[];
  /** Attributes of the handler. */
  readonly attributes?: Readonly<Record<string, unknown>>;
  readonly namespace?: string;
}

let ids = 0;

/** A backend with a handler for one chat, and a receiver that plays this chat. */
export class ChatRig {
  readonly service: ChatService;
  readonly backend: RunningBackend;
  readonly chat: HttpReceiver;
  readonly ask: Ask;

  private constructor(service: ChatService, backend: RunningBackend, chat: HttpReceiver) {
    this.service = service;
    this.backend = backend;
    this.chat = chat;
    this.ask = asking(backend.url, basic('root', 'long enough'));
  }

  /** Starts the backend and the chat; both are closed when the test finishes. */
  static async open(
    service: ChatService,
    { settings = {}, scopes = ['silence', 'resolve'], attributes = {}, namespace = 'default' }: RigOptions = {},
  ): Promise<ChatRig> {
    const backend = await startBackend({
      settings: {
        api: { user: 'root', password: 'long enough' },
        'public-url': 'https://mon.example.com/base',
        people: PEOPLE,
        ...settings,
      },
      batcher: { batchLimit: 1 },
    });
    onTestFinished(() => backend[Symbol.asyncDispose]());
    const rig = new ChatRig(service, backend, await HttpReceiver.open());
    if (namespace !== 'default') await rig.ask('POST', '/api/core/v2/namespaces', { name: namespace });
    const key = await rig.grantKey(scopes);
    await rig.putHandler('chat', { buttons: { ...SECRETS, api_key: key }, ...attributes }, namespace);
    return rig;
  }

  /** Creates an API key. @returns its text */
  async grantKey(scopes: readonly string[]): Promise<string> {
    const { status, body } = await this.ask('POST', '/api/core/v2/apikeys', {
      metadata: {},
      username: 'root',
      scopes,
    });
    if (status !== 201) throw new Error(`no API key: ${String(status)}`);
    return (body as { readonly key: string }).key;
  }

  /** Stores a handler for the chat over the API. */
  async putHandler(name: string, attributes: Readonly<Record<string, unknown>>, namespace = 'default'): Promise<void> {
    const own = { slack: {}, mattermost: {}, telegram: { api_token: '12:bot', chat: -100 } }[this.service];
    const { status, body } = await this.ask('PUT', `/api/core/v2/namespaces/${namespace}/handlers/${name}`, {
      metadata: { name, namespace },
      type: 'pipe',
      mon: { type: 'webhook', preset: this.service, url: this.chat.url, ...own, ...attributes },
    });
    if (status !== 201) throw new Error(`no handler: ${JSON.stringify(body)}`);
  }

  /** Reports a result of web-1/disk for the handlers. */
  async report(status: number, handlers: readonly string[] = ['chat'], namespace = 'default'): Promise<void> {
    const result = { source: 'web-1', name: 'disk', output: `DISK ${String(status)}`, status, handlers };
    const answer = await this.ask('POST', `/api/mon/v1/results?namespace=${namespace}`, [result]);
    if (answer.status !== 202) throw new Error(`no result: ${JSON.stringify(answer.body)}`);
  }

  /** Waits for a number of requests at the chat, and returns the last one. */
  async message(count: number): Promise<ChatMessage> {
    await vi.waitFor(() => {
      const { length } = this.chat.received;
      if (length !== count) throw new Error(`${String(length)} requests, not ${String(count)}`);
    }, PATIENCE);
    const body = JSON.parse(this.chat.received.at(-1)?.body ?? '') as Readonly<Record<string, unknown>>;
    return { body, buttons: buttonsOf(body) };
  }

  /** Sends a click as the service sends it. */
  async click(click: SentClick): Promise<Answer> {
    const { token, headers, body } = this.request(click);
    return await this.post(token, body, headers);
  }

  async post(token: string, body: string, headers: Readonly<Record<string, string>> = {}): Promise<Answer> {
    const target = `/api/mon/v1/hooks/${this.service}/${token}`;
    return await send(this.backend.url, { method: 'POST', target, headers, body });
  }

  /** Returns the request of a click: the token in its URL, its headers and its body. */
  request({ user = 'ada', value, secrets, at = Math.floor(Date.now() / 1000), id, responseUrl }: SentClick): {
    readonly token: string;
    readonly headers: Readonly<Record<string, string>>;
    readonly body: string;
  } {
    const { callback_token: token, secret } = { ...SECRETS, ...secrets };
    const clickId = id ?? `click-${String(++ids)}`;
    switch (this.service) {
      case 'slack': {
        const payload = {
          type: 'block_actions',
          user: { id: USERS.slack[user], username: user, team_id: 'T1' },
          container: { type: 'message_attachment' },
          trigger_id: clickId,
          response_url: responseUrl ?? this.chat.url,
          message: { text: 'a message with “quotes” and %' },
          actions: [{ type: 'button', action_id: 'acknowledge', block_id: 'b', value, action_ts: '1.1' }],
        };
        const body = new URLSearchParams({ payload: JSON.stringify(payload) }).toString();
        const signature = createHmac('sha256', secret)
          .update(`v0:${String(at)}:${body}`)
          .digest('hex');
        const signed = { 'x-slack-signature': `v0=${signature}`, 'x-slack-request-timestamp': String(at) };
        return { token, body, headers: { 'content-type': 'application/x-www-form-urlencoded', ...signed } };
      }
      case 'mattermost': {
        const name = USERS.mattermost[user];
        const payload = { user_id: `id-of-${name}`, user_name: name, post_id: 'p', trigger_id: clickId };
        return {
          token,
          body: JSON.stringify({ ...payload, type: '', data_source: '', context: { value } }),
          headers: { 'content-type': 'application/json' },
        };
      }
      case 'telegram': {
        const query = {
          id: clickId,
          from: { id: Number(USERS.telegram[user]), is_bot: false, first_name: user, username: user },
          message: { message_id: 77, date: 1, chat: { id: -100, type: 'supergroup' } },
          chat_instance: '1',
          data: value,
        };
        return {
          token,
          body: JSON.stringify({ update_id: 1, callback_query: query }),
          headers: { 'content-type': 'application/json', 'x-telegram-bot-api-secret-token': secret },
        };
      }
    }
  }

  /** Returns the open event of web-1/disk; undefined if there is none. */
  async event(namespace = 'default'): Promise<Readonly<Record<string, unknown>> | undefined> {
    const { status, body } = await this.ask('GET', `/api/mon/v1/events/web-1/disk?namespace=${namespace}`);
    return status === 404 ? undefined : (body as Readonly<Record<string, unknown>>);
  }

  /** Returns the audit records of an action, newest first. */
  async audited(action: string): Promise<readonly Readonly<Record<string, unknown>>[]> {
    const { body } = await this.ask('GET', `/api/mon/v1/audit?filter.action=${action}`);
    return body as readonly Readonly<Record<string, unknown>>[];
  }
}

/** Returns the values of the buttons in a message of any service, by their actions or labels. */
function buttonsOf(body: Readonly<Record<string, unknown>>): Readonly<Record<string, string>> {
  const found: Record<string, string> = {};
  JSON.stringify(body, (_key, item: unknown) => {
    if (typeof item !== 'object' || item === null) return item;
    const { action_id: action, value, id, integration, text, callback_data: data } = item as Record<string, unknown>;
    if (typeof action === 'string') found[action] = String(value);
    if (typeof data === 'string') found[String(text).toLowerCase().split(' ', 1)[0] ?? ''] = data;
    const { context } = (integration ?? {}) as { readonly context?: { readonly value: string } };
    if (context !== undefined) found[String(id)] = context.value;
    return item;
  });
  return found;
}
