import type { RawData } from 'ws';
import { agentFrame, parseAgentFrame } from '../../../shared/domain/v2/agent-frame.ts';
import { agentCommand } from '../../../shared/domain/v2/agent-command.ts';
import {
  clientOfKeepalive,
  v2CheckRequest,
  entityConfigOf,
  resultOfAgentEvent,
} from '../../../shared/domain/v2/agent.ts';
import { isDeeperThan, parseJsonStripped } from '../../../shared/domain/json.ts';
import { DEPTH_MAX } from '../../../shared/domain/json-text.ts';
import { mayHoldTokens } from '../../../shared/domain/tokens.ts';
import { errorMessage, MonError } from '../../../shared/errors.ts';
import type { CheckRequest } from '../../../shared/schemas/agent.ts';
import type { Client } from '../../../shared/schemas/client.ts';
import { v2EventSchema, type SubmittedV2Event } from '../../../shared/schemas/v2/event.ts';
import { problemsOf } from '../../../shared/schemas/problems.ts';
import { COMPATIBLE_VERSION } from '../../../shared/schemas/version.ts';
import { keepaliveResult, keepaliveStateOf } from '../clients/keepalive-result.ts';
import { readClient } from '../model/clients/queries.ts';
import type { ClientEntry } from '../model/registry/namespace.ts';
import type { IncomingResult } from '../results/process-result.ts';
import type { V2AgentIdentity } from './agent-access.ts';
import { textFrame, type FrameSocket } from '../sockets/frame-socket.ts';
import { Heartbeat } from '../sockets/heartbeat.ts';
import { LONG_FRAME_BYTES, LongFrames } from '../sockets/long-frames.ts';
import type { OutgoingRequest } from './outgoing-request.ts';
import { ResultIntake } from './result-intake.ts';
import type { AgentLink, AdmittedConnectionDependencies, HubCallbacks } from './agent-link.ts';

/** WebSocket close codes. */
const NORMAL_CLOSE_CODE = 1000;
const GOING_AWAY_CLOSE_CODE = 1001;
const POLICY_VIOLATION = 1008;
const TRY_AGAIN_LATER = 1013;

/** Maximum size of the reason in a WebSocket close frame, in bytes. */
const REASON_BYTES_MAX = 123;

/**
 * The connection to a v2 agent (clients 6). Frames consist of a type and JSON, and are not acknowledged. The backend
 * sends the configuration of the agent when it connects, after it has registered, and whenever its client changes.
 */
export class V2AgentConnection implements AgentLink {
  readonly namespace: string;
  readonly name: string;
  subscriptions: readonly string[] = [];
  readonly #socket: FrameSocket;
  readonly #dependencies: AdmittedConnectionDependencies;
  readonly #membership: HubCallbacks;
  readonly #isConfigurable: boolean;
  readonly #heartbeat: Heartbeat;
  readonly #intake: ResultIntake;
  readonly #longFrames: LongFrames;
  /** The last configuration that was sent to the agent, as JSON; empty if none was sent. */
  #sentConfig = '';
  #isRegistered = false;
  #lastTask: Promise<void> = Promise.resolve();

  constructor(
    socket: FrameSocket,
    { namespace, name, isCertified, isConfigurable }: V2AgentIdentity,
    dependencies: AdmittedConnectionDependencies,
    membership: HubCallbacks,
  ) {
    this.namespace = namespace;
    this.name = name;
    this.#isConfigurable = isConfigurable;
    this.#socket = socket;
    this.#dependencies = dependencies;
    this.#membership = membership;
    this.#heartbeat = new Heartbeat(socket);
    this.#longFrames = new LongFrames(socket, (error) => this.#refuse(error));
    this.#intake = new ResultIntake({
      submit: (check, cancellation, onSettled) =>
        dependencies.results.submitFromAgent(
          namespace,
          {
            client: name,
            spool: undefined,
            results: [{ id: 1, check }],
            cancellation,
            isCertified,
            admission: dependencies.admission,
          },
          (_id, reason) => dependencies.rejected.log({ namespace, client: name }, reason, check),
          (error) => {
            if (error?.code === 'unauthenticated') this.close(POLICY_VIOLATION, error.message);
            onSettled(error);
          },
        ),
      pause: () => this.#longFrames.pause(),
      resume: () => this.#longFrames.resume(),
      requestProceed: () => membership.requestProceed(),
    });
    socket.on('message', (message) => this.#receive(message));
    socket.on('close', (code) => this.#handleClose(code));
    // A failed socket also emits `close`, whose listener cleans up.
    socket.on('error', (error) =>
      dependencies.log.debug({ namespace, client: name, err: error }, 'connection to an agent failed'),
    );
  }

  /** Sends the agent its configuration. Must be called once, after the connection was added to the hub. */
  begin(): void {
    if (this.#entry() === undefined) this.#sendConfig(undefined);
    // Before the first keepalive, only the stored client record contains the subscriptions of the agent.
    else this.#reloadClient();
  }

  request({ check }: OutgoingRequest): boolean {
    // The client record is needed to replace tokens in the command, and to quote arguments for the client's platform.
    const needsRecord = Array.isArray(check.command) || mayHoldTokens(check.command);
    if (!needsRecord) return this.#sendCheckRequest(check, undefined);
    this.#runSerially(
      async () => void this.#sendCheckRequest(check, await readClient(this.#dependencies.store, this.#entry())),
    );
    return this.#socket.readyState === this.#socket.OPEN;
  }

  #sendCheckRequest(check: CheckRequest, client: Client | undefined): boolean {
    const { namespace, name } = this;
    const command = agentCommand(check, namespace, client);
    if (!('line' in command)) {
      const logFields = { namespace, client: name, check: check.name };
      if ('unmatched' in command) {
        this.#dependencies.log.warn(
          { ...logFields, unmatched_tokens: command.unmatched },
          'check request was not sent: the client lacks attributes that the command uses as tokens',
        );
      } else
        this.#dependencies.log.warn(
          { ...logFields, reason: command.unfit },
          'check request was not sent: the agent of this client does not support the check',
        );
      return true;
    }
    const definitions = this.#dependencies.definitions.inNamespace(namespace);
    const request = { ...check, command: command.line };
    const source = {
      definition: definitions.check(check.name),
      stored: definitions.storedCheck(check.name),
      needs: definitions,
    };
    return this.#send('check_request', v2CheckRequest(namespace, request, source));
  }

  close(code: number, reason: string): void {
    this.#socket.close(code, Buffer.from(reason).subarray(0, REASON_BYTES_MAX));
    // A paused socket must be read again: the agent's close frame arrives after frames that were not read yet.
    this.#longFrames.resume();
  }

  beat(): void {
    this.#heartbeat.beat();
  }

  proceed(): void {
    this.#intake.proceed();
  }

  clientChanged(): void {
    if (this.#entry() !== undefined) this.#reloadClient();
    // The client was deleted. As in Sensu Go, the close frame contains no reason.
    else if (this.#isRegistered) this.close(NORMAL_CLOSE_CODE, '');
  }

  #entry(): ClientEntry | undefined {
    return this.#dependencies.registry.namespace(this.namespace).clients.get(this.name);
  }

  /** Reads the client record from the store, and sends the agent its configuration if that has changed. */
  #reloadClient(): void {
    this.#runSerially(async () => {
      const client = await readClient(this.#dependencies.store, this.#entry());
      if (client !== undefined) this.#applyClient(client);
    });
  }

  #applyClient(client: Client): void {
    this.#sendConfig(client);
    this.#join(client);
  }

  /** Runs a task after all earlier tasks, so that records are sent in the order in which they were read. */
  #runSerially(task: () => Promise<void> | void): void {
    this.#lastTask = this.#lastTask.then(task).catch((error: unknown) => {
      const { namespace, name } = this;
      this.#dependencies.log.warn(
        { namespace, client: name, reason: errorMessage(error) },
        'could not read the client from the store',
      );
    });
  }

  #receive(data: RawData): void {
    if (this.#socket.readyState !== this.#socket.OPEN) return;
    try {
      // With the default `binaryType` of a server's socket, `data` is a single Buffer.
      const frame = parseAgentFrame((data as Buffer).toString());
      if (frame === undefined)
        throw new MonError('invalid', 'a WebSocket frame must consist of a type, a line feed and JSON');
      const { type, payload } = frame;
      if (type !== 'keepalive' && type !== 'event') {
        const { namespace, name } = this;
        this.#dependencies.log.debug({ namespace, client: name, type }, 'agent sent a WebSocket frame of unknown type');
      } else if (payload.length >= LONG_FRAME_BYTES || this.#longFrames.isBusy) {
        this.#longFrames.add(payload, (value) => {
          if (this.#socket.readyState === this.#socket.OPEN) this.#takeFrame(type, value);
        });
      } else this.#takeFrame(type, parseJsonStripped(payload));
    } catch (error) {
      this.#refuse(error instanceof SyntaxError ? new MonError('invalid', 'the payload must be JSON') : error);
    }
  }

  /** Processes a keepalive or an event of the agent. @throws MonError `invalid` if a keepalive is not a valid event */
  #takeFrame(type: 'keepalive' | 'event', payload: unknown): void {
    const { event, problem = 'a keepalive must be an event' } = eventOf(payload);
    if (event === undefined && type === 'keepalive') throw new MonError('invalid', problem);
    if (event === undefined) this.#logRejectedEvent(problem);
    else if (type === 'event') this.#submitEvent(event);
    else this.#keepAlive(event).catch((error: unknown) => this.#refuse(error));
  }

  async #keepAlive(event: SubmittedV2Event): Promise<void> {
    const { namespace, name } = this;
    const reportedName = event.entity?.metadata?.name;
    if (reportedName !== name)
      throw new MonError(
        'invalid',
        `this connection belongs to the client ${name}, not to ${String(reportedName)}: open another connection for that client`,
      );
    const client = await this.#dependencies.clients.keepaliveOf(
      namespace,
      // Deleting an entity closes its connection. So a keepalive of an agent that has not registered on this
      // connection yet was sent after the last deletion.
      {
        name,
        reportedAttributes: event.entity ?? {},
        admission: this.#dependencies.admission,
        isFresh: !this.#isRegistered,
        resultOf: (entry, record, now) => this.#keepaliveResultOf(entry, record, now),
      },
      (present, now) => {
        const version = COMPATIBLE_VERSION;
        return clientOfKeepalive(event, name, { present, now, version, isConfigurable: this.#isConfigurable });
      },
    );
    this.#runSerially(() => this.#applyClient(client));
  }

  /**
   * Returns the result of the agent's keepalive check. It is undefined if the agent's clock is so far behind that the
   * keepalive counts as missing, which the monitoring of keepalives reports.
   */
  #keepaliveResultOf(entry: ClientEntry, record: Client, now: number): IncomingResult | undefined {
    const { definitions } = this.#dependencies;
    if (keepaliveStateOf(entry, now, definitions.keepalives).status !== 0) return undefined;
    return keepaliveResult(entry, record, definitions, now);
  }

  #submitEvent(event: SubmittedV2Event): void {
    const { namespace, name } = this;
    const definitions = this.#dependencies.definitions.inNamespace(namespace);
    const result = resultOfAgentEvent(event, name, (check) => definitions.check(check) !== undefined);
    if (result === undefined) {
      this.#dependencies.log.debug({ namespace, client: name }, 'ignored an event without a check');
    } else this.#intake.addResult(result);
  }

  /**
   * Counts and logs a rejected event. The connection stays open, because an agent forwards events of arbitrary local
   * programs.
   */
  #logRejectedEvent(reason: string | undefined): void {
    const { namespace, name } = this;
    this.#dependencies.results.rejected.invalid++;
    this.#dependencies.rejected.log({ namespace, client: name }, reason ?? 'it could not be read');
  }

  #join({ subscriptions }: Client): void {
    this.#isRegistered = true;
    const isOpen = this.#socket.readyState === this.#socket.OPEN;
    if (!isOpen || subscriptions.join() === this.subscriptions.join()) return;
    this.subscriptions = subscriptions;
    this.#membership.agentJoined();
  }

  #sendConfig(client: Client | undefined): void {
    const config = entityConfigOf(this.namespace, client);
    const text = JSON.stringify(config);
    if (text === this.#sentConfig) return;
    this.#sentConfig = text;
    this.#send('entity_config', config);
  }

  #handleClose(code: number): void {
    const { namespace, name } = this;
    const isReplaced = !this.#membership.agentLeft();
    // Only an agent that closes its connection on its own has left. After a failure, or when this backend stops, the
    // agent will connect again.
    const hasLeft =
      !isReplaced &&
      (code === NORMAL_CLOSE_CODE || code === GOING_AWAY_CLOSE_CODE) &&
      !this.#dependencies.stopping.aborted;
    if (!hasLeft || this.#entry()?.profile.deregisters !== true) {
      // Results that still wait in the intake are submitted, because the agent would not send them again.
      this.#membership.requestProceed();
      return;
    }
    try {
      this.#dependencies.admission();
    } catch {
      return;
    }
    this.#dependencies.clients.deregister(namespace, name).catch((error: unknown) => {
      this.#dependencies.log.error(
        { namespace, client: name, reason: errorMessage(error) },
        'could not deregister the client',
      );
    });
  }

  #refuse(error: unknown): void {
    const { namespace, name } = this;
    const { code, message } = error instanceof MonError ? error : new MonError('internal', 'internal error');
    if (code === 'conflict') {
      // The entity was deleted, but its connection is not closed yet: close it as `clientChanged` does.
      this.close(NORMAL_CLOSE_CODE, '');
      return;
    }
    this.#dependencies.log.warn({ namespace, client: name, code, reason: errorMessage(error) }, 'agent rejected');
    this.close(code === 'unavailable' ? TRY_AGAIN_LATER : POLICY_VIOLATION, message);
  }

  #send(type: string, payload: unknown): boolean {
    return this.#socket.sendFrame(textFrame(agentFrame(type, payload)));
  }
}

/** Returns the event in the payload of a frame, or the problem for which the payload is rejected. */
function eventOf(payload: unknown): { readonly event?: SubmittedV2Event; readonly problem?: string } {
  const parsed = v2EventSchema.safeParse(payload);
  if (!parsed.success) return { problem: problemsOf(parsed.error) };
  if (isDeeperThan(parsed.data, DEPTH_MAX)) {
    return { problem: `the event is nested deeper than ${String(DEPTH_MAX)} levels` };
  }
  return { event: parsed.data };
}
