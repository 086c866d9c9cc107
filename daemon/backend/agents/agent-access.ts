import type { IncomingHttpHeaders } from 'node:http';
import { MonError } from '../../../shared/errors.ts';
import { AGENT_NAME_HEADER, AGENT_NAMESPACE_HEADER } from '../../../shared/schemas/agent.ts';
import { v2NameSchema } from '../../../shared/schemas/name.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { problemsOf } from '../../../shared/schemas/problems.ts';
import { maySeeNamespace, type Principal } from '../access/principal.ts';
import type { EntityLimit } from '../model/clients/entity-limit.ts';
import { refuseUnknownNamespace, unknownNamespace } from '../namespaces/unknown-namespace.ts';
import type { Registry } from '../model/registry/registry.ts';
import { refuseOtherClient, refuseOtherNamespace } from './agent-certificate.ts';
import type { FrameSocket } from '../sockets/frame-socket.ts';
import type { WebSocketEndpoint } from '../sockets/upgrades.ts';

/** The identity that an agent states in its handshake, with the limits of its certificate. */
export interface AgentIdentity {
  readonly name: string | undefined;
  /** The namespace that the agent states, or the only namespace of its credentials; undefined if there is neither. */
  readonly namespace: string | undefined;
  /**
   * The client names that the agent's certificate allows; undefined if it has no certificate, so that any name is
   * allowed.
   */
  readonly clientNames: readonly string[] | undefined;
  /** The namespaces that the agent's certificate allows; undefined if all namespaces are allowed. */
  readonly certificateNamespaces: readonly string[] | undefined;
  /** True if the handshake request has the header `Accept`, which v2 agents send since version 6. */
  readonly hasAcceptHeader: boolean;
}

/** The identity of a v2 agent, which it states completely in its handshake. */
export interface V2AgentIdentity {
  readonly namespace: string;
  readonly name: string;
  /** True if the agent presented a client certificate that contains its name. */
  readonly isCertified: boolean;
  /** True if the agent accepts its configuration from the backend; agents of version 5 do not (clients 6). */
  readonly isConfigurable: boolean;
}

/** The names, in lower case, of the request headers in which an agent states its identity. */
export interface IdentityHeaders {
  readonly name: string;
  readonly namespace: string;
}

interface AccessDependencies {
  readonly registry: Pick<Registry, 'hasNamespace'>;
  readonly entityLimit: Pick<EntityLimit, 'refuseBeyond'>;
}

/** The headers in which mon agents state their identity. */
export const AGENT_HEADERS: IdentityHeaders = {
  name: AGENT_NAME_HEADER.toLowerCase(),
  namespace: AGENT_NAMESPACE_HEADER.toLowerCase(),
};

/** The headers in which v2 agents state their identity (clients 6). */
const V2_AGENT_HEADERS: IdentityHeaders = { name: 'sensu-agentname', namespace: 'sensu-namespace' };

/** Headers of the handshake response that make v2 agents send and accept JSON. */
const V2_ANSWER_HEADERS = { Accept: 'application/json', 'Content-Type': 'application/json' };

type AgentEndpoint = Pick<WebSocketEndpoint, 'headers' | 'doingOf'> &
  Required<Pick<WebSocketEndpoint, 'admit' | 'accept'>>;

/** Returns the endpoint functions for v2 agents, which must state their name in the handshake. */
export function v2AgentEntry(
  parts: AccessDependencies,
  accept: (socket: FrameSocket, identity: V2AgentIdentity) => void,
): AgentEndpoint {
  const { admit, ...entry } = agentEntry(V2_AGENT_HEADERS, parts, (socket, identity) => {
    const { name = '', namespace = DEFAULT_NAMESPACE, clientNames, hasAcceptHeader: namesForm } = identity;
    accept(socket, { name, namespace, isCertified: clientNames !== undefined, isConfigurable: namesForm });
  });
  return {
    ...entry,
    headers: V2_ANSWER_HEADERS,
    // As in Sensu Go, a user who may create events in a namespace may connect as an agent of that namespace.
    doingOf: ({ headers }) => ({
      verb: 'create',
      resource: 'events',
      name: '',
      namespace: firstHeaderValue(headers[V2_AGENT_HEADERS.namespace]) ?? DEFAULT_NAMESPACE,
    }),
    admit: (request, principal) => {
      const name = v2NameSchema.safeParse(request.headers[V2_AGENT_HEADERS.name]);
      if (!name.success) throw new MonError('invalid', `Sensu-AgentName: ${problemsOf(name.error)}`);
      admit(request, principal);
    },
  };
}

/**
 * Returns the endpoint functions for agents that state their identity in `headers`. An agent whose credentials are
 * limited to one namespace belongs to that namespace and need not state it.
 */
export function agentEntry(
  headers: IdentityHeaders,
  parts: AccessDependencies,
  accept: (socket: FrameSocket, identity: AgentIdentity) => void,
): AgentEndpoint {
  return {
    admit: (request, principal) => admitAgent(identityOf(request.headers, headers, principal), principal, parts),
    accept: (socket, principal, request) => accept(socket, identityOf(request.headers, headers, principal)),
  };
}

type PrincipalOfAgent = Pick<Principal, 'namespace' | 'clientNames' | 'certificateNamespaces'>;

function identityOf(
  headers: IncomingHttpHeaders,
  names: IdentityHeaders,
  { namespace, clientNames, certificateNamespaces }: PrincipalOfAgent,
): AgentIdentity {
  const [only, ...others] = certificateNamespaces ?? [];
  return {
    name: firstHeaderValue(headers[names.name]),
    namespace: firstHeaderValue(headers[names.namespace]) ?? namespace ?? (others.length === 0 ? only : undefined),
    clientNames,
    certificateNamespaces,
    hasAcceptHeader: headers.accept !== undefined,
  };
}

/**
 * Checks whether an agent may connect. If its credentials are not valid in the namespace, the error is the same as for
 * a namespace that does not exist.
 *
 * @throws MonError `forbidden` if the certificate is for another client or namespace, `not_found` if there is no such
 *   namespace, `payment_required` if the client is new and exceeds the entity limit
 */
function admitAgent(
  { namespace: named, name, clientNames, certificateNamespaces }: AgentIdentity,
  principal: Pick<Principal, 'namespace'>,
  { registry, entityLimit }: AccessDependencies,
): void {
  const namespace = named ?? DEFAULT_NAMESPACE;
  if (name !== undefined) refuseOtherClient(name, clientNames);
  // If the handshake states neither name nor namespace, the first message, `hello`, states them, and they are checked
  // then.
  if (name !== undefined || named !== undefined) refuseOtherNamespace(namespace, certificateNamespaces);
  if (!maySeeNamespace(principal, namespace)) throw unknownNamespace(namespace);
  refuseUnknownNamespace(registry, namespace);
  if (name !== undefined) entityLimit.refuseBeyond(namespace, name);
}

function firstHeaderValue(header: string | readonly string[] | undefined): string | undefined {
  const value = typeof header === 'string' ? header : header?.[0];
  return value === '' ? undefined : value;
}
