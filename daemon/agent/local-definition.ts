import type { CheckRequest } from '../../shared/schemas/agent.ts';
import type { CheckDefinition } from '../../shared/schemas/check.ts';

/** A check request merged with the definition of the same name on this machine, which wins (legacy-peer, sensu-client). */
export function withLocalDefinition(request: CheckRequest, local: CheckDefinition | undefined): CheckRequest {
  if (local === undefined) return request;
  // What this machine defines has the older tokens only.
  const { entity_tokens: _mark, ...asked } = request;
  return { ...asked, ...known(local), name: request.name, issued: request.issued };
}

/** Without attributes that are there but undefined, which would hide those of the request. */
function known(definition: CheckDefinition): Partial<CheckRequest> {
  return Object.fromEntries(Object.entries(definition).filter(([, value]) => value !== undefined));
}
