import { given } from '../../shared/domain/given.ts';
import type { CheckRequest } from '../../shared/schemas/agent.ts';
import type { CheckDefinition } from '../../shared/schemas/check.ts';

/**
 * A check request merged with the definition of the same name on this machine, which wins (legacy-peer, sensu-client).
 */
export function withLocalDefinition(request: CheckRequest, local: CheckDefinition | undefined): CheckRequest {
  if (local === undefined) return request;
  // What this machine defines has the older tokens only.
  const { entity_tokens: _mark, ...asked } = request;
  return { ...asked, ...given(local), name: request.name, issued: request.issued };
}
