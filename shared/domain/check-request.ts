import type { CheckRequest } from '../schemas/agent.ts';
import type { CheckDefinition } from '../schemas/check.ts';
import type { Client } from '../schemas/client.ts';
import type { ApiRequested } from '../schemas/request.ts';
import { substituteEntityTokens, tokenEntityOf } from './v2/tokens.ts';
import { substituteTokens } from './tokens.ts';

type NamedCheck = CheckDefinition & { readonly name: string };

/** Who asks, and when. */
export interface Asked {
  /** Epoch seconds. */
  readonly issued: number;
  /** Undefined: the scheduler. */
  readonly apiRequested?: ApiRequested | undefined;
  /** Undefined: those of the check. */
  readonly subscribers?: readonly string[] | undefined;
  /** Of the check. */
  readonly namespace: string;
  /** Whether version 2 defines the check, with tokens of its own. */
  readonly hasEntityTokens: boolean;
}

/** What is sent to the agents: the definition without what only the scheduler needs (legacy-peer, Request). */
export function checkRequest(
  check: NamedCheck,
  { issued, apiRequested, subscribers, hasEntityTokens }: Asked,
): CheckRequest {
  const mark = hasEntityTokens ? { entity_tokens: true } : {};
  return { ...withoutSchedule(check), ...requestedBy(apiRequested), ...ofSubscribers(subscribers), ...mark, issued };
}

/**
 * The request to check something on behalf of a proxy client: its attributes in place of the tokens, and itself as the
 * source (reference 2.2.3).
 *
 * @returns the paths that it has no attribute for, when there are any
 */
export function proxyCheckRequest(
  check: NamedCheck,
  client: Client,
  { issued, apiRequested, subscribers, namespace, hasEntityTokens }: Asked,
): { readonly request: CheckRequest } | { readonly unmatched: readonly string[] } {
  const { value, unmatched } = hasEntityTokens
    ? substituteEntityTokens(withoutSchedule(check), client, tokenEntityOf(namespace, client))
    : substituteTokens(withoutSchedule(check), client);
  if (unmatched.length > 0) return { unmatched };
  const request = value as Named;
  const about = { ...requestedBy(apiRequested), ...ofSubscribers(subscribers) };
  return { request: { ...request, ...about, source: client.name, issued } };
}

function ofSubscribers(subscribers: Asked['subscribers']): Pick<CheckRequest, 'subscribers'> {
  return subscribers === undefined ? {} : { subscribers };
}

/** As a request carries it: whatever was defined, by name. */
type Named = Readonly<Record<string, unknown>> & { readonly name: string };

function withoutSchedule({ subscribers: _subscribers, interval: _interval, ...check }: NamedCheck): Named {
  return check;
}

function requestedBy(apiRequested: ApiRequested | undefined): { readonly api_requested?: ApiRequested } {
  return apiRequested === undefined ? {} : { api_requested: apiRequested };
}
