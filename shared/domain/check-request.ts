import type { CheckRequest } from '../schemas/agent.ts';
import type { CheckDefinition } from '../schemas/check.ts';
import type { Client } from '../schemas/client.ts';
import type { ApiRequested } from '../schemas/request.ts';
import { substituteEntityTokens, tokenEntityOf } from './v2/tokens.ts';
import { substituteTokens } from './tokens.ts';

type NamedCheck = CheckDefinition & { readonly name: string };

/** Origin and time of a request to run a check. */
export interface RequestOrigin {
  /** Epoch seconds of the request. */
  readonly issued: number;
  /** Undefined if the scheduler issued the request. */
  readonly apiRequested?: ApiRequested | undefined;
  /** The subscriptions that get the request; undefined if it goes to the subscribers of the check. */
  readonly subscribers?: readonly string[] | undefined;
  /** Namespace of the check. */
  readonly namespace: string;
  /** Whether the check was defined over the v2 API, so that its tokens are v2 templates such as `{{ .name }}`. */
  readonly hasEntityTokens: boolean;
}

/**
 * Returns the request that agents get: the definition of the check without `interval` and `subscribers` (legacy-peer,
 * Request).
 */
export function checkRequest(
  check: NamedCheck,
  { issued, apiRequested, subscribers, hasEntityTokens }: RequestOrigin,
): CheckRequest {
  const mark = hasEntityTokens ? { entity_tokens: true } : {};
  return {
    ...removeSchedule(check),
    ...requesterAttribute(apiRequested),
    ...subscribersAttribute(subscribers),
    ...mark,
    issued,
  };
}

/**
 * Returns the request to run a check for a proxy client. The attributes of the client replace the tokens, and the
 * client is the source (reference 2.2.3).
 *
 * @returns the request, or the paths of the tokens that have no value
 */
export function proxyCheckRequest(
  check: NamedCheck,
  client: Client,
  { issued, apiRequested, subscribers, namespace, hasEntityTokens }: RequestOrigin,
): { readonly request: CheckRequest } | { readonly unmatched: readonly string[] } {
  const { value, unmatched } = hasEntityTokens
    ? substituteEntityTokens(removeSchedule(check), client, tokenEntityOf(namespace, client))
    : substituteTokens(removeSchedule(check), client);
  if (unmatched.length > 0) return { unmatched };
  const request = value as NamedAttributes;
  const requestAttributes = { ...requesterAttribute(apiRequested), ...subscribersAttribute(subscribers) };
  return { request: { ...request, ...requestAttributes, source: client.name, issued } };
}

function subscribersAttribute(subscribers: RequestOrigin['subscribers']): Pick<CheckRequest, 'subscribers'> {
  return subscribers === undefined ? {} : { subscribers };
}

/** The definition of a check in a request: any attributes, and a name. */
type NamedAttributes = Readonly<Record<string, unknown>> & { readonly name: string };

function removeSchedule({ subscribers: _subscribers, interval: _interval, ...check }: NamedCheck): NamedAttributes {
  return check;
}

function requesterAttribute(apiRequested: ApiRequested | undefined): { readonly api_requested?: ApiRequested } {
  return apiRequested === undefined ? {} : { api_requested: apiRequested };
}
