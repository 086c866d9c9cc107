import type { Doing } from '../../../shared/domain/v2/roles.ts';
import type { RoleVerb } from '../../../shared/schemas/v2/role.ts';
import { V2_PREFIX } from './principal.ts';

const VERBS: Readonly<Record<string, RoleVerb>> = {
  POST: 'create',
  PUT: 'update',
  PATCH: 'update',
  DELETE: 'delete',
};

/** A request to a route. */
interface RoutedRequest {
  readonly method: string;
  /** The pattern of the path. */
  readonly url: string;
  /** What its parts are in the path of the request. */
  readonly params: Readonly<Record<string, string>>;
}

/**
 * A request of the newer API in the words of roles: the verb is that of the method, the resource the kind of objects in the
 * path, whatever follows the object (clients 6).
 *
 * @returns undefined for a request of another face
 */
export function doingOf({ method, url, params }: RoutedRequest): Doing | undefined {
  if (!url.startsWith(`${V2_PREFIX}/`)) return undefined;
  const parts = url.slice(V2_PREFIX.length + 1).split('/');
  const isWithin = parts[0] === 'namespaces' && parts.length > 2;
  const [resource = '', ...rest] = isWithin ? parts.slice(2) : parts;
  const name = nameIn(resource, rest, params);
  return {
    verb: VERBS[method] ?? (name === '' || isListPath(resource, rest) ? 'list' : 'get'),
    resource: resource === 'cluster' ? 'cluster-members' : resource,
    name,
    namespace: isWithin ? params['namespace'] : undefined,
  };
}

/** Of the object: of an event `ENTITY/CHECK`, else the first part of the path that is not fixed. */
function nameIn(resource: string, rest: readonly string[], params: RoutedRequest['params']): string {
  const values = rest.filter((part) => part.startsWith(':')).map((part) => params[part.slice(1)] ?? '');
  return resource === 'events' ? values.join('/') : (values[0] ?? '');
}

/** The events of an entity, and the silences of a check or a subscription. */
function isListPath(resource: string, rest: readonly string[]): boolean {
  return (resource === 'events' && rest.length === 1) || (resource === 'silenced' && rest.length === 2);
}
