import type { IncomingHttpHeaders } from 'node:http';
import { MON_API } from '../../../shared/api/mon.ts';
import { parseButtonValue, BUTTON_SILENCE_SECONDS } from '../../../shared/domain/chat/button.ts';
import { chatSetting, personOfChatUser, SERVICE_NAMES } from '../../../shared/domain/chat/chat-user.ts';
import {
  mattermostCallback,
  slackCallback,
  telegramCallback,
  type Callback,
  type Click,
} from '../../../shared/domain/chat/click.ts';
import { clickNote, idleClickText, RESOLVED_TEXT } from '../../../shared/domain/chat/decide-click.ts';
import { timestampProblem } from '../../../shared/domain/chat/freshness.ts';
import { clickMessages, type ClickAnswer } from '../../../shared/domain/chat/replies.ts';
import { isAllowedResponseUrl } from '../../../shared/domain/chat/response-url.ts';
import type { EventState } from '../../../shared/domain/event.ts';
import type { ServiceRequest } from '../../../shared/domain/message/service.ts';
import { silencedEntry, targetId } from '../../../shared/domain/silencing.ts';
import { MonError, type ErrorCode } from '../../../shared/errors.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import { CHAT_SERVICES, type ButtonAction, type ChatService } from '../../../shared/schemas/chat.ts';
import { presetTraits } from '../../../shared/schemas/preset.ts';
import type { Log } from '../../log/log.ts';
import type { Authenticator } from '../access/authenticator.ts';
import { loggedPath } from '../access/logged-path.ts';
import { refuseWithoutAccess, type Principal } from '../access/principal.ts';
import type { Acknowledgements } from '../acknowledgements/commands.ts';
import type { ConfigInForce } from '../config/config-in-force.ts';
import type { Events } from '../events/commands.ts';
import { readEvent, unstoredJob } from '../events/unstored-job.ts';
import type { HandlerRunner } from '../notify/delivery/deliver.ts';
import type { CheckEntry } from '../model/registry/namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import type { Clock, Store } from '../ports.ts';
import { unexpiredEntry, type SilencedEntries } from '../silences/commands.ts';
import { policedRequest, refuseOwnAgainstPolicy } from '../silences/policy.ts';
import { Hooks, type ButtonHandler } from './hooks.ts';
import { ClickLimits } from './limits.ts';
import { buttonMac, equalsInConstantTime, isSentByTelegram, isSignedBySlack, slackHeaders } from './signatures.ts';

export interface ChatDependencies {
  readonly acknowledgements: Pick<Acknowledgements, 'acknowledge'>;
  readonly authenticator: Pick<Authenticator, 'principalOfConfiguredKey'>;
  readonly clock: Clock;
  readonly config: Pick<ConfigInForce, 'definitions' | 'program'>;
  readonly delivery: Pick<HandlerRunner, 'rebuildMessage' | 'sendToService'>;
  readonly events: Pick<Events, 'resolve'>;
  readonly log: Log;
  readonly registry: Registry;
  readonly silenced: Pick<SilencedEntries, 'write'>;
  readonly store: Store;
}

/** A request to the URL of a callback, before it is authenticated. */
export interface ReceivedCallback {
  readonly preset: string;
  readonly token: string;
  readonly method: string;
  readonly url: string;
  readonly headers: IncomingHttpHeaders;
  /** The body as it was received. */
  readonly body: string;
  /** Network address of the sender. */
  readonly caller: string;
}

/** A callback whose sender is authenticated. */
interface AuthenticCallback {
  readonly callback: Callback;
  /** The handlers with the secret of the sender. */
  readonly handlers: readonly [ButtonHandler, ...ButtonHandler[]];
  /** The id of the click, for the detection of repeated requests; undefined if it has none. */
  readonly id: string | undefined;
}

/** A click on the button of a handler's message, with the person and the rights with which it acts. */
interface PersonalClick {
  readonly owner: ButtonHandler;
  readonly action: ButtonAction;
  readonly eventId: string;
  readonly person: string;
  readonly principal: Principal;
  readonly actor: Actor;
}

/** The answer to a click, whose message is not built yet. */
interface PendingAnswer extends Omit<ClickAnswer, 'message'> {
  /** Builds the new content of the message; absent if the message does not change. */
  readonly rebuild?: () => Promise<ServiceRequest | undefined>;
}

/** The route whose rights each button requires. */
const ROUTES = { acknowledge: MON_API.acknowledge, silence: MON_API.silence, resolve: MON_API.resolveEvent } as const;

/** The errors whose messages a chat shows to the user who clicked. Other errors fail the request. */
const SHOWN_ERRORS: ReadonlySet<ErrorCode> = new Set(['invalid', 'forbidden', 'conflict', 'threshold']);

/** Minimum number of milliseconds between two log records about rejected callbacks. */
const REJECTIONS_MS = 10_000;

/** Handles the callbacks of chats: authenticates them, acts on events, and updates the messages (on-call 4). */
export class ChatCallbacks {
  readonly #deps: ChatDependencies;
  readonly #hooks: Hooks;
  readonly #limits: ClickLimits;
  #lastRejectionMs = -Infinity;

  constructor(deps: ChatDependencies) {
    this.#deps = deps;
    this.#hooks = new Hooks({ definitions: deps.config.definitions, registry: deps.registry });
    this.#limits = new ClickLimits(deps.clock);
  }

  /**
   * Handles a callback and returns the body of the response.
   *
   * @throws MonError `not_found` if no handler has this URL, `unauthenticated` if the callback is not authentic or too
   *   old, `invalid` if its body is malformed, `conflict` if it was handled before, `unavailable` if there are too many
   */
  async answer(received: ReceivedCallback): Promise<Readonly<Record<string, unknown>>> {
    using running = new DisposableStack();
    running.use(this.#limits.begin());
    const service = CHAT_SERVICES.find((name) => name === received.preset);
    const candidates = service === undefined ? [] : this.#hooks.handlersOf(service, received.token);
    if (service === undefined || candidates.length === 0) {
      throw new MonError('not_found', 'no handler has this URL: compare it with buttons.callback_token of the handler');
    }
    const { callback, handlers, id } = this.#authenticate(service, received, candidates);
    if (callback === 'malformed')
      throw new MonError('invalid', `the body is not a callback of ${SERVICE_NAMES[service]}`);
    if (callback === 'ignored') return {};
    this.#limits.countClick(`${service} ${received.token}`);
    if (!this.#limits.remember(id)) {
      // Telegram sends an update again until it gets a response without an error.
      if (service === 'telegram') return {};
      throw new MonError('conflict', 'this click was handled before');
    }
    try {
      return await this.#answerClick(callback, handlers, received);
    } catch (error) {
      this.#limits.forget(id);
      throw error;
    }
  }

  #authenticate(
    service: ChatService,
    { headers, body }: ReceivedCallback,
    candidates: readonly ButtonHandler[],
  ): AuthenticCallback {
    switch (service) {
      case 'slack': {
        const { timestamp, signature } = slackHeaders(headers);
        const handlers = candidates.filter(({ handler }) => isSignedBySlack(handler.buttons.secret, headers, body));
        const problem = timestampProblem(timestamp, this.#deps.clock.now());
        if (!isNotEmpty(handlers)) throw this.#rejection('the signature of the callback is wrong', candidates);
        if (problem !== undefined) throw this.#rejection(problem, candidates);
        return { callback: slackCallback(body), handlers, id: `slack ${signature}` };
      }
      case 'mattermost': {
        // Mattermost signs nothing. The button itself proves that a message of the handler contained it.
        const callback = mattermostCallback(body);
        const handlers = typeof callback === 'string' ? [] : candidates.filter((owner) => isButtonOf(owner, callback));
        if (!isNotEmpty(handlers)) throw this.#rejection('the button of the callback is not signed', candidates);
        const id = typeof callback === 'string' ? undefined : callback.id;
        return { callback, handlers, id: id && `mattermost ${id}` };
      }
      case 'telegram': {
        const handlers = candidates.filter(({ handler }) => isSentByTelegram(handler.buttons.secret, headers));
        if (!isNotEmpty(handlers)) throw this.#rejection('the secret token of the callback is wrong', candidates);
        const callback = telegramCallback(body);
        const id = typeof callback === 'string' ? undefined : callback.id;
        return { callback, handlers, id: id && `telegram ${id}` };
      }
    }
  }

  /** Returns the error for a callback that is not authentic, and logs it unless another one has just been logged. */
  #rejection(problem: string, candidates: readonly ButtonHandler[]): MonError {
    const { clock, log } = this.#deps;
    if (clock.monotonic() - this.#lastRejectionMs >= REJECTIONS_MS) {
      this.#lastRejectionMs = clock.monotonic();
      log.warn({ reason: problem, handlers: candidates.map(({ name }) => name) }, 'callback of a chat rejected');
    }
    return new MonError('unauthenticated', `${problem}: compare buttons.secret of the handler with the service`);
  }

  async #answerClick(
    click: Click,
    handlers: AuthenticCallback['handlers'],
    received: ReceivedCallback,
  ): Promise<Readonly<Record<string, unknown>>> {
    const owner = handlers.find((candidate) => isButtonOf(candidate, click));
    const [replier = handlers[0]] = owner === undefined ? [] : [owner];
    const { rebuild, ...answer } = await this.#answerOf(click, owner, received);
    const { handler } = replier;
    const service = { ...handler, url: handler.url ?? presetTraits(handler.preset).url ?? '' };
    const complete = async (): Promise<ReturnType<typeof clickMessages>> => {
      const messages = clickMessages({ ...answer, message: await rebuild?.() }, click.reply, service);
      for (const request of messages.requests) void this.#send(replier, request, click);
      return messages;
    };
    // The response of Mattermost contains the new message. The others expect a response within seconds, and a mutator
    // can take longer than that.
    if (click.reply.service === 'mattermost') return (await complete()).response;
    complete().catch((error: unknown) => this.#deps.log.error({ err: error }, 'could not update a message in a chat'));
    return clickMessages(answer, click.reply, service).response;
  }

  /** Acts on a click. @returns the answer for the user, also if the click is refused */
  async #answerOf(click: Click, owner: ButtonHandler | undefined, received: ReceivedCallback): Promise<PendingAnswer> {
    const { user, value } = click;
    const button = parseButtonValue(value);
    if (owner === undefined || button === undefined) {
      return refusal('This button no longer works, because its handler or the secret of the handler has changed.');
    }
    const { definitions } = this.#deps.config;
    const person = personOfChatUser(definitions.onCall.people, user);
    if (person === undefined) {
      return refusal(
        `You are not mapped to a person. Add "${chatSetting(user)}" to your entry in the section "people" of the configuration.`,
      );
    }
    const principal = this.#deps.authenticator.principalOfConfiguredKey(owner.handler.buttons.api_key);
    if (principal === undefined) {
      return refusal(`The API key of the buttons is not valid: set buttons.api_key of the handler ${owner.name}.`);
    }
    const who = `${SERVICE_NAMES[user.service]} user ${user.id}${user.name === undefined ? '' : ` (${user.name})`}`;
    const actor = {
      who: principal.name,
      ...(person !== principal.name && { on_behalf_of: person }),
      from: received.caller,
      how: `${received.method} ${loggedPath(received.url)} by ${who}`,
    };
    try {
      return await this.#act({ owner, ...button, person, principal, actor });
    } catch (error) {
      if (!(error instanceof MonError)) throw error;
      if (error.code === 'not_found') return refusal(RESOLVED_TEXT);
      if (!SHOWN_ERRORS.has(error.code)) throw error;
      return refusal(error.code === 'conflict' ? error.message : `Not done: ${error.message}`);
    }
  }

  /** @throws MonError as the routes of the actions; `conflict` if there is nothing to do, `not_found` if it resolved */
  async #act(click: PersonalClick): Promise<PendingAnswer> {
    const { clock, delivery, registry, store } = this.#deps;
    const { owner, action, eventId, person } = click;
    const { namespace, name, handler } = owner;
    const { scope: access, path: url } = ROUTES[action];
    refuseWithoutAccess(click.principal, { access, url, namespace: undefined, queryNamespace: namespace });
    const entry = registry
      .namespace(namespace)
      .allEvents()
      .find(({ state }) => state.event?.id === eventId);
    if (entry === undefined) return refusal(RESOLVED_TEXT);
    const eventBefore = await readEvent(store, entry, clock.now());
    const nowMs = clock.now();
    await this.#change(click, entry);
    const eventAfter = action === 'resolve' ? undefined : await readEvent(store, entry, clock.now());
    const event =
      eventAfter?.id === eventId ? eventAfter : eventBefore && { ...eventBefore, action: 'resolve' as const };
    const note = clickNote(action, person, nowMs);
    const job = event && unstoredJob(event, { name, handler }, namespace, nowMs);
    return {
      text: `${note}.`,
      isDone: true,
      ...(job !== undefined && { rebuild: () => delivery.rebuildMessage(job, handler, note) }),
    };
  }

  /** Performs the action of a click. The event and its state are checked in the same commit. */
  async #change({ owner, action, eventId, person, actor }: PersonalClick, entry: CheckEntry): Promise<void> {
    const { acknowledgements, events, silenced, registry } = this.#deps;
    const { namespace } = owner;
    const client = entry.client.name;
    const check = entry.name;
    const silence = {
      subscription: `client:${client}`,
      check,
      expire: BUTTON_SILENCE_SECONDS,
      creator: person,
      reason: `silenced in ${SERVICE_NAMES[owner.handler.preset as ChatService]}`,
    };
    const silenceId = targetId(silence);
    const refuse = (event: EventState | undefined, nowMs: number): void => {
      if (event?.id !== eventId) throw new MonError('not_found', RESOLVED_TEXT);
      const { acknowledgement } = event;
      const present = unexpiredEntry(registry.namespace(namespace), silenceId, nowMs);
      const text = idleClickText({ action, person, acknowledgement, silence: present, nowMs });
      if (text !== undefined) throw new MonError('conflict', text);
    };
    const refuseNow = (event: EventState): void => refuse(event, this.#deps.clock.now());
    switch (action) {
      case 'acknowledge':
        await acknowledgements.acknowledge(namespace, { client, check, owner: person }, actor, refuseNow);
        return;
      case 'silence':
        refuseOwnAgainstPolicy(this.#deps, policedRequest(silence));
        await silenced.write(
          namespace,
          silenceId,
          (_before, nowMs) => {
            refuse(registry.namespace(namespace).check(client, check)?.state.event, nowMs);
            return silencedEntry(silence, nowMs);
          },
          actor,
        );
        return;
      case 'resolve':
        await events.resolve(namespace, client, check, actor, 'event.resolve', refuseNow);
    }
  }

  /** Sends a request about a click to the service. A failure is only logged: the action itself has succeeded. */
  async #send({ namespace, name, handler }: ButtonHandler, request: ServiceRequest, { reply }: Click): Promise<void> {
    const { delivery, log } = this.#deps;
    const fields = { handler: name, namespace };
    if (reply.service === 'slack' && !isAllowedResponseUrl(request.url, handler.url)) {
      log.warn(fields, 'the callback of a chat names a response URL of another host: no response was sent');
      return;
    }
    const outcome = await delivery.sendToService(handler, request);
    if (outcome.kind === 'failed')
      log.warn({ ...fields, reason: outcome.reason }, 'could not answer a click in a chat');
  }
}

/** True if a click is on a button that a message of this handler had. */
function isButtonOf({ namespace, name, handler }: ButtonHandler, { value }: Click): boolean {
  const button = parseButtonValue(value);
  if (button === undefined) return false;
  const { preset, buttons } = handler;
  return equalsInConstantTime(
    button.mac,
    buttonMac(buttons.secret, { preset, namespace, handler: name }, button.claim),
  );
}

function isNotEmpty<Item>(items: readonly Item[]): items is readonly [Item, ...Item[]] {
  return items.length > 0;
}

/** Returns the answer to a click that changes nothing. */
function refusal(text: string): PendingAnswer {
  return { text, isDone: false };
}
