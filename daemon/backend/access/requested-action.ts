import type { EndpointRole } from '../../../shared/api/endpoint.ts';
import type { Doing } from '../../../shared/domain/v2/roles.ts';

/**
 * Describes a request in the terms of roles (clients 6).
 *
 * @param params the parameters of its path
 */
export function doingOf({ verb, resource, named }: EndpointRole, params: Readonly<Record<string, string>>): Doing {
  const name = named.map((part) => params[part] ?? '').join('/');
  // A namespace object is itself in no namespace.
  return { verb, resource, name, namespace: resource === 'namespaces' ? undefined : params['namespace'] };
}
