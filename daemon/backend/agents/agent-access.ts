import type { IncomingHttpHeaders } from 'node:http';
import { MonError } from '../../../shared/errors.ts';
import { AGENT_NAME_HEADER, AGENT_NAMESPACE_HEADER } from '../../../shared/schemas/agent.ts';
import { v2NameSchema } from '../../../shared/schemas/name.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { problemsOf } from '../../../shared/schemas/problems.ts';
import { maySee, type Principal } from '../access/principal.ts';
import type { EntityLimit } from '../clients/entity-limit.ts';
import { refuseUnknownNamespace, unknownNamespace } from '../namespaces/unknown.ts';
import type { Registry } from '../registry/registry.ts';
import { refuseOtherClient, refuseOtherNamespace } from './agent-certificate.ts';
import type { FrameSocket } from '../sockets/frame-socket.ts';
import type { Endpoint } from '../sockets/upgrades.ts';

/** What an agent says about itself before its connection is opened. */
export interface AgentIdentity {
  readonly name: string | undefined;
  /** Or the one that its credentials are for. */
  readonly namespace: string | undefined;
  /** The only ones that it may have, by its certificate; undefined: any. */
  readonly clientNames: readonly string[] | undefined;
  /** The only namespaces that it may report in, by its certificate; undefined: any. */
  readonly certificateNamespaces: readonly string[] | undefined;
  /** Whether it says in which form it takes answers, as those of the newer generation do from version 6 on. */
  readonly namesForm: boolean;
}

/** An agent that has said everything before its connection is opened. */
export interface KnownAgent {
  readonly namespace: string;
  readonly name: string;
  /** Whether a certificate says that it is this one. */
  readonly isCertified: boolean;
  /** Whether it can be told how it is configured: version 5 cannot (clients 6). */
  readonly isConfigurable: boolean;
}

/** The names of the headers that say it, in lower case. */
export interface IdentityHeaders {
  readonly name: string;
  readonly namespace: string;
}

interface AccessParts {
  readonly registry: Pick<Registry, 'hasNamespace'>;
  readonly entityLimit: Pick<EntityLimit, 'refuseBeyond'>;
}

/** Of our own agents. */
export const AGENT_HEADERS: IdentityHeaders = {
  name: AGENT_NAME_HEADER.toLowerCase(),
  namespace: AGENT_NAMESPACE_HEADER.toLowerCase(),
};

/** Of agents of the newer generation (clients 6). */
const V2_AGENT_HEADERS: IdentityHeaders = { name: 'sensu-agentname', namespace: 'sensu-namespace' };

/** Asks them to speak JSON. */
const V2_ANSWER_HEADERS = { Accept: 'application/json', 'Content-Type': 'application/json' };

type Entry = Pick<Endpoint, 'headers' | 'doingOf'> & Required<Pick<Endpoint, 'admit' | 'accept'>>;

/** The way in for agents of the newer generation, which always say who they are. */
export function v2AgentEntry(parts: AccessParts, accept: (socket: FrameSocket, identity: KnownAgent) => void): Entry {
  const { admit, ...entry } = agentEntry(V2_AGENT_HEADERS, parts, (socket, identity) => {
    const { name = '', namespace = DEFAULT_NAMESPACE, clientNames, namesForm } = identity;
    accept(socket, { name, namespace, isCertified: clientNames !== undefined, isConfigurable: namesForm });
  });
  return {
    ...entry,
    headers: V2_ANSWER_HEADERS,
    // As at the peer: whoever may make events of the namespace may be its agent.
    doingOf: ({ headers }) => ({
      verb: 'create',
      resource: 'events',
      name: '',
      namespace: single(headers[V2_AGENT_HEADERS.namespace]) ?? DEFAULT_NAMESPACE,
    }),
    admit: (request, principal) => {
      const name = v2NameSchema.safeParse(request.headers[V2_AGENT_HEADERS.name]);
      if (!name.success) throw new MonError('invalid', `Sensu-AgentName: ${problemsOf(name.error)}`);
      admit(request, principal);
    },
  };
}

/**
 * The way in for agents that say in these headers who they are. One whose credentials are for a single namespace
 * belongs there, and needs not say so.
 */
export function agentEntry(
  headers: IdentityHeaders,
  parts: AccessParts,
  accept: (socket: FrameSocket, identity: AgentIdentity) => void,
): Entry {
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
    name: single(headers[names.name]),
    namespace: single(headers[names.namespace]) ?? namespace ?? (others.length === 0 ? only : undefined),
    clientNames,
    certificateNamespaces,
    namesForm: headers.accept !== undefined,
  };
}

/**
 * Refuses an agent before its connection is opened. A namespace that its credentials are not for is as good as none.
 *
 * @throws MonError `forbidden` when its certificate is for another client or namespace, `not_found` when there is no
 *   such namespace, `payment_required` when it is new and one too many
 */
function admitAgent(
  { namespace: named, name, clientNames, certificateNamespaces }: AgentIdentity,
  principal: Pick<Principal, 'namespace'>,
  { registry, entityLimit }: AccessParts,
): void {
  const namespace = named ?? DEFAULT_NAMESPACE;
  if (name !== undefined) refuseOtherClient(name, clientNames);
  // Without either the hello says it, which is looked at then.
  if (name !== undefined || named !== undefined) refuseOtherNamespace(namespace, certificateNamespaces);
  if (!maySee(principal, namespace)) throw unknownNamespace(namespace);
  refuseUnknownNamespace(registry, namespace);
  if (name !== undefined) entityLimit.refuseBeyond(namespace, name);
}

function single(header: string | readonly string[] | undefined): string | undefined {
  const value = typeof header === 'string' ? header : header?.[0];
  return value === '' ? undefined : value;
}
