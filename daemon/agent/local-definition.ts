import { withoutUndefined } from '../../shared/domain/without-undefined.ts';
import type { CheckRequest } from '../../shared/schemas/agent.ts';
import type { CheckDefinition } from '../../shared/schemas/check.ts';

/**
 * Merges a check request from the backend with the local definition of the same name. Attributes of the local
 * definition override those of the request (legacy-peer, sensu-client).
 */
export function withLocalDefinition(request: CheckRequest, local: CheckDefinition | undefined): CheckRequest {
  if (local === undefined) return request;
  // Remove the attribute that announces v2 tokens, because local definitions contain only v1 tokens.
  const { entity_tokens: _mark, ...attributes } = request;
  return { ...attributes, ...withoutUndefined(local), name: request.name, issued: request.issued };
}
