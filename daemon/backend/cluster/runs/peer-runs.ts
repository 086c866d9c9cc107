import type { FastifyContextConfig, FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { DEPTH_MAX } from '../../../../shared/domain/json-text.ts';
import { MonError } from '../../../../shared/errors.ts';
import { isRunningHandler } from '../../../../shared/schemas/handler.ts';
import {
  canRunOnOtherMember,
  PEER_BYTES_MAX,
  PEER_PIECES_PATH,
  PEER_RUNS_PATH,
  peerTransportMessagesSchema,
  runOrderSchema,
  type MemberIndependentHandler,
  type RunOrder,
} from '../../../../shared/schemas/peer-run.ts';
import type { ApiCommands } from '../../audit/api-commands.ts';
import type { Definitions } from '../../model/config/definitions.ts';
import type { DefinitionKinds } from '../../model/definitions/state.ts';
import type { HandlerRunner } from '../../notify/delivery/deliver.ts';
import type { DeliveryOutcome } from '../../notify/delivery/outcome.ts';
import { readBody, schemaValidator } from '../../http/json-body.ts';
import type { Leadership } from '../forwarding/leadership.ts';
import { definitionDigest } from './definition-digest.ts';
import { RUNS_MAX } from './live-member.ts';

const readOrder = schemaValidator(runOrderSchema);
const readPieces = schemaValidator(peerTransportMessagesSchema);

/**
 * Maximum nesting of the JSON of a run order. It contains an event with client data, which can be nested up to
 * `DEPTH_MAX`.
 */
const ORDER_DEPTH_MAX = DEPTH_MAX + 8;

/**
 * Route configuration for requests between members of the cluster. Other callers are rejected, even if they have all
 * rights.
 */
const PEER_ROUTE_CONFIG: FastifyContextConfig = { access: 'admin', isOfPeers: true, isOfItself: true };

export interface PeerRunDependencies {
  readonly delivery: Pick<HandlerRunner, 'deliver'>;
  readonly definitions: Pick<Definitions, 'inNamespace' | 'isConfigured'>;
  /** Checks definitions against the settings `api-commands` and `api-command-directories` of this backend. */
  readonly apiCommands: Pick<ApiCommands, 'problemOf'>;
  /** Publishes the messages of transport handlers to the listeners that are connected to this backend. */
  readonly feed: { publish(transport: string, namespace: string, data: string): void };
  readonly leadership: Pick<Leadership, 'isLeader'>;
  /** Returns the current value of the setting `run-handlers`. */
  readonly runsHandlers: () => boolean;
}

/** Serves requests of the leader: runs handlers, and publishes messages of transport handlers. */
export class PeerRuns {
  readonly #dependencies: PeerRunDependencies;
  #running = 0;

  constructor(dependencies: PeerRunDependencies) {
    this.#dependencies = dependencies;
  }

  serve(app: FastifyInstance): void {
    const options = { config: PEER_ROUTE_CONFIG, bodyLimit: PEER_BYTES_MAX };
    app.get(PEER_RUNS_PATH, options, () => ({ takes_runs: this.#dependencies.runsHandlers() }));
    app.post(PEER_RUNS_PATH, options, (request, reply) => this.#run(request, reply));
    app.post(PEER_PIECES_PATH, options, (request, reply) => this.#publish(request, reply));
  }

  async #run(request: FastifyRequest, reply: FastifyReply): Promise<DeliveryOutcome> {
    const order = readBody(request, readOrder, ORDER_DEPTH_MAX);
    this.#refuse();
    const handler = this.#handlerOf(order);
    // If the connection closes, the leader was lost or has timed out, so this run is aborted.
    const gone = new AbortController();
    reply.raw.once('close', () => gone.abort());
    this.#running++;
    try {
      return await this.#dependencies.delivery.deliver(order.job, handler, order.attempt, gone.signal);
    } finally {
      this.#running--;
    }
  }

  /** Throws if this backend cannot run a handler now. @throws MonError `conflict`, `unavailable` */
  #refuse(): void {
    const { leadership, runsHandlers } = this.#dependencies;
    if (leadership.isLeader)
      throw new MonError('conflict', 'this member has become the leader, which assigns handler runs to others');
    if (!runsHandlers()) throw new MonError('conflict', 'this backend is configured to run no handlers');
    if (this.#running >= RUNS_MAX)
      throw new MonError('unavailable', 'this backend already runs the maximum number of handlers');
  }

  /**
   * Returns this backend's definition of the handler that an order names.
   *
   * @throws MonError `precondition` if this backend has a different definition or none, `forbidden` if its settings do
   *   not allow the command of a definition that was created by the API
   */
  #handlerOf({ job, definition }: RunOrder): MemberIndependentHandler {
    const { definitions } = this.#dependencies;
    const { handler: name, namespace } = job;
    const handler = definitions.inNamespace(namespace).handler(name);
    if (handler === undefined || !isRunningHandler(handler) || !canRunOnOtherMember(handler)) {
      throw new MonError(
        'precondition',
        `this backend has no handler ${name}, or must not run it for other members: give all members the same configuration files`,
      );
    }
    const mutator =
      handler.mutator === undefined ? undefined : definitions.inNamespace(namespace).mutator(handler.mutator);
    if (definitionDigest(handler, mutator) !== definition) {
      throw new MonError(
        'precondition',
        `this backend has another definition of the handler ${name}: give all members the same configuration files`,
      );
    }
    this.#refuseCommand('handlers', namespace, name, handler);
    if (mutator !== undefined) this.#refuseCommand('mutators', namespace, handler.mutator ?? '', mutator);
    return handler;
  }

  /**
   * Rejects a definition that was created by the API, if the settings of this backend forbid its command. Another
   * member, with other settings, has accepted the definition.
   */
  #refuseCommand<Kind extends 'handlers' | 'mutators'>(
    kind: Kind,
    namespace: string,
    name: string,
    definition: DefinitionKinds[Kind]['definition'],
  ): void {
    const { definitions, apiCommands } = this.#dependencies;
    if (definitions.isConfigured(kind, namespace, name)) return;
    const problem = apiCommands.problemOf(kind, { definition });
    if (problem !== undefined) throw new MonError('forbidden', `${name}: ${problem}`);
  }

  #publish(request: FastifyRequest, reply: FastifyReply): FastifyReply {
    const { pieces } = readBody(request, readPieces);
    for (const { transport, namespace, data } of pieces) this.#dependencies.feed.publish(transport, namespace, data);
    return reply.code(204).send();
  }
}
