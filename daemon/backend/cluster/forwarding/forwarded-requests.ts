import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import type { FastifyInstance, FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify';
import { MonError } from '../../../../shared/errors.ts';
import type { Log } from '../../../log/log.ts';
import { actorOf } from '../../access/actor.ts';
import { ANONYMOUS_PRINCIPAL, OTHER_BACKEND_PRINCIPAL, isAllowed } from '../../access/principal.ts';
import type { Audit } from '../../model/audit/mutations.ts';
import { errorBody } from '../../http/errors.ts';
import type { RequestForwarding } from '../../http/forwarding.ts';
import { matchedRoute, type RequestSender } from '../../http/request.ts';
import { isFromMember, NEEDS_PEER_KEY, type PeerAuthenticator } from './admitted-peers.ts';
import type { Leadership } from './leadership.ts';
import { answerHeaders, PEER_HEADERS, requestHeaders } from './peer-headers.ts';
import type { PeerLink } from './peer-link.ts';
import { unknownOutcomeError, type LeaderLinks } from './writer-links.ts';

interface RequestDependencies {
  readonly audit: Pick<Audit, 'record'>;
  readonly leadership: Leadership;
  readonly links: LeaderLinks;
  readonly peers: PeerAuthenticator;
  readonly log: Log;
}

interface ForwardedResponse {
  readonly writerId: string;
  readonly response: IncomingMessage;
  /** Sequence number of the newest write that the leader had committed when it responded. */
  readonly seq: number;
}

/** HTTP status 421: the request reached a backend that is not the leader (RFC 9110, 15.5.20). */
const MISDIRECTED_STATUS = 421;

/** Forwards API requests from a follower to the leader, and admits requests that other members forward. */
export class ForwardedRequests implements RequestForwarding {
  /** Number of forwarded requests since the start. */
  count = 0;
  readonly #dependencies: RequestDependencies;

  constructor(dependencies: RequestDependencies) {
    this.#dependencies = dependencies;
  }

  receive(app: FastifyInstance): void {
    app.addHook('onRequest', (request, reply, done) => {
      const isOfPeers = matchedRoute(request).isOfPeers === true;
      if (isFromMember(request))
        void continueUnlessAnswered(isOfPeers ? this.#admitPeer(request) : this.#admitForwarded(request, reply), done);
      else if (isOfPeers) done(new MonError('not_found', 'only members of the cluster may use this path'));
      else done();
    });
    app.addHook('preValidation', (request, _reply, done) => {
      try {
        if (request.sender !== undefined) this.#dependencies.peers.refuseAlteredBody(request, request.body);
        done();
      } catch (error) {
        done(error as Error);
      }
    });
    app.addHook('onSend', (request, reply, payload, done) => {
      // The handler has committed its change by now, so the sequence number includes it.
      if (request.sender !== undefined) reply.header(PEER_HEADERS.seq, this.#dependencies.leadership.seq);
      done(null, payload);
    });
  }

  forward(app: FastifyInstance, isOfV2: boolean): void {
    const { leadership } = this.#dependencies;
    app.addHook('preHandler', (request, reply, done) => {
      const { isForWriter = false, isOfItself = false } = matchedRoute(request);
      const isElsewhere = isForWriter ? !leadership.isLeader : !isOfItself && leadership.hasSuccessor;
      if (isElsewhere) {
        void continueUnlessAnswered(this.#forward(request, reply, isOfV2), done);
        return;
      }
      if (isOfLocalAdministrator(request)) {
        void continueUnlessAnswered(this.#recordLocal(request, request.sender), done);
        return;
      }
      try {
        if (!isOfItself) leadership.refuseStale();
        done();
      } catch (error) {
        done(error as Error);
      }
    });
  }

  /**
   * Authenticates a request that a member sends on its own behalf, not for a caller.
   *
   * @returns false, since no response was sent
   */
  async #admitPeer(request: FastifyRequest): Promise<boolean> {
    const memberId = await this.#dependencies.peers.authenticateMember(request.raw);
    const caller = request.socket.remoteAddress ?? '';
    request.sender = { principal: OTHER_BACKEND_PRINCIPAL, caller, isOfV2: false, memberId };
    return false;
  }

  /**
   * Authenticates a request that a follower forwards.
   *
   * @returns true if a response was already sent, because this backend is not the leader; false if the request can be
   *   handled
   */
  async #admitForwarded(request: FastifyRequest, reply: FastifyReply): Promise<boolean> {
    const { leadership, peers } = this.#dependencies;
    const memberId = await peers.authenticateMember(request.raw);
    if (!leadership.isLeader) {
      refuseMisdirected(reply);
      return true;
    }
    // If a response has this header, the forwarding member passes it on to the caller, even an error, and does not
    // retry.
    reply.header(PEER_HEADERS.seq, leadership.seq);
    request.sender = { ...(await peers.senderOf(request)), memberId };
    return false;
  }

  /**
   * Records in the audit trail that a local administrator of another member made a request.
   *
   * @returns false, since no response was sent
   */
  async #recordLocal(request: FastifyRequest, { memberId }: RequestSender): Promise<boolean> {
    this.#dependencies.leadership.refuseStale();
    await this.#dependencies.audit.record(actorOf(request), {
      action: 'cluster.local-administrator',
      target: request.url.split('?', 1)[0] ?? '',
      after: { member: memberId },
    });
    return false;
  }

  /**
   * Forwards a request to the leader.
   *
   * @returns true if a response was sent; false if this backend is the leader now and must respond itself
   */
  async #forward(request: FastifyRequest, reply: FastifyReply, isOfV2: boolean): Promise<boolean> {
    if (request.sender !== undefined) {
      // A request is forwarded only once. The member that sent it here retries with the new leader.
      reply.removeHeader(PEER_HEADERS.seq);
      request.sender = undefined;
      refuseMisdirected(reply);
      return true;
    }
    this.#refuseLocal(request);
    const answered = await this.#dependencies.links.withLeader((link) => this.#exchange(link, request, isOfV2));
    if (answered === 'self') return false;
    const { writerId, response, seq } = answered;
    request.forwardedTo = writerId;
    this.count++;
    await this.#catchUp(request, response, seq);
    void reply.code(response.statusCode ?? 0).headers(answerHeaders(response.headers));
    void reply.send(Readable.from(bodyOf(response), { objectMode: false }));
    return true;
  }

  /**
   * Rejects a request that requires a local administrator, if the leader cannot verify that caller.
   *
   * @throws MonError `forbidden`
   */
  #refuseLocal(request: FastifyRequest): void {
    if (request.principal.via !== 'local' || this.#dependencies.peers.isStrong) return;
    const { access = 'admin', isForAnonymous = false } = matchedRoute(request);
    if (!isAllowed(ANONYMOUS_PRINCIPAL, { access, isForAnonymous })) throw new MonError('forbidden', NEEDS_PEER_KEY);
  }

  /** Sends a request to the leader. @returns the response; undefined if that member is no longer the leader */
  async #exchange(link: PeerLink, request: FastifyRequest, isOfV2: boolean): Promise<ForwardedResponse | undefined> {
    const { method, url: path, body, headers, principal, caller } = request;
    const response = await link.exchange({
      method,
      path,
      headers: {
        ...requestHeaders(headers),
        ...this.#dependencies.peers.headersOf(principal, caller),
        'x-request-id': request.id,
        ...(isOfV2 && { [PEER_HEADERS.face]: 'v2' }),
      },
      body: typeof body === 'string' ? Buffer.from(body) : undefined,
    });
    const seq = seqOf(response);
    if (seq !== undefined) return { writerId: link.address.id, response, seq };
    response.resume();
    this.#refuseStranger(link, response);
    return undefined;
  }

  /**
   * Throws if the leader does not accept the signature of this member, because a retry would fail too.
   *
   * @throws MonError `unavailable`
   */
  #refuseStranger(link: PeerLink, { statusCode }: IncomingMessage): void {
    if (statusCode !== 401) return;
    this.#dependencies.log.error(
      { leader: link.address.id, url: link.address.url, setting: 'peer-key-file' },
      'the leader does not accept this backend as a member',
    );
    throw new MonError(
      'unavailable',
      'the leader does not accept changes from this member: see the log of this member',
    );
  }

  /** Waits until the write is in the memory of this follower, so that later reads of the caller include the change. */
  async #catchUp({ method }: FastifyRequest, response: IncomingMessage, seq: number): Promise<void> {
    try {
      await this.#dependencies.leadership.waitForWrite(seq);
    } catch (error) {
      const isDone = (response.statusCode ?? 0) < 400 && method !== 'GET' && method !== 'HEAD';
      if (!isDone) return;
      response.destroy();
      throw new MonError(
        'unavailable',
        'the change was made, but this follower has not received it yet: read again in a few seconds',
        {
          cause: error,
        },
      );
    }
  }
}

/** Yields the body of a response. @throws MonError `unavailable` if the connection is lost before the body ends */
async function* bodyOf(response: IncomingMessage): AsyncGenerator<Buffer, void, undefined> {
  try {
    yield* response as AsyncIterable<Buffer>;
  } catch (error) {
    throw unknownOutcomeError(error);
  }
}

/** True if a local administrator of another member sent the request, and it changes data or needs the scope `admin`. */
function isOfLocalAdministrator(
  request: FastifyRequest,
): request is FastifyRequest & { readonly sender: RequestSender } {
  const { method, sender } = request;
  if (sender?.principal.via !== 'local' || sender.principal === OTHER_BACKEND_PRINCIPAL) return false;
  return (method !== 'GET' && method !== 'HEAD') || matchedRoute(request).access === 'admin';
}

/** Passes the request to the next handler, unless a response was already sent. */
async function continueUnlessAnswered(isAnswered: Promise<boolean>, done: HookHandlerDoneFunction): Promise<void> {
  try {
    if (await isAnswered) return;
  } catch (error) {
    done(error as Error);
    return;
  }
  done();
}

/**
 * Rejects a forwarded request because this backend is not the leader. The body is the same for all APIs, because the
 * forwarding member does not pass it on to the caller.
 */
function refuseMisdirected(reply: FastifyReply): void {
  const body = errorBody({ code: 'unavailable', message: 'another member is the leader' });
  void reply.code(MISDIRECTED_STATUS).send(body);
}

function seqOf({ headers }: IncomingMessage): number | undefined {
  const text = headers[PEER_HEADERS.seq];
  return typeof text === 'string' && /^\d{1,16}$/.test(text) ? Number(text) : undefined;
}
