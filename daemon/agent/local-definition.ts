import { withoutUndefined } from '../../shared/domain/without-undefined.ts';
import type { CheckRequest } from '../../shared/schemas/agent.ts';
import type { CheckDefinition } from '../../shared/schemas/check.ts';

/**
 * Merges a check request with the local definition of the same name, which overrides it (legacy-peer, sensu-client).
 */
export function withLocalDefinition(request: CheckRequest, local: CheckDefinition | undefined): CheckRequest {
  if (local === undefined) return request;
  // Local definitions use v1 tokens only.
  const { entity_tokens: _mark, ...attributes } = request;
  return { ...attributes, ...withoutUndefined(local), name: request.name, issued: request.issued };
}
