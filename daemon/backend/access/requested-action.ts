import type { EndpointRole } from '../../../shared/api/endpoint.ts';
import type { Operation } from '../../../shared/domain/v2/roles.ts';

/**
 * Describes a request by verb, resource, name and namespace, the terms in which roles grant rights (clients 6).
 *
 * @param params parameters in the path of the request
 */
export function operationOf(
  { verb, resource, nameParameters }: EndpointRole,
  params: Readonly<Record<string, string>>,
): Operation {
  const name = nameParameters.map((part) => params[part] ?? '').join('/');
  // A namespace object does not belong to a namespace.
  return { verb, resource, name, namespace: resource === 'namespaces' ? undefined : params['namespace'] };
}
