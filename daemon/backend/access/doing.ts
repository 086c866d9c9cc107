import type { EndpointRole } from '../../../shared/api/endpoint.ts';
import type { Doing } from '../../../shared/domain/v2/roles.ts';

/**
 * A request in the words of roles (clients 6).
 *
 * @param params what the parts of its path are
 */
export function doingOf({ verb, resource, named }: EndpointRole, params: Readonly<Record<string, string>>): Doing {
  const name = named.map((part) => params[part] ?? '').join('/');
  // A namespace is in none itself.
  return { verb, resource, name, namespace: resource === 'namespaces' ? undefined : params['namespace'] };
}
