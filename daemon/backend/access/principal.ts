import type { Access } from '../../../shared/api/endpoint.ts';
import { V2_PREFIX } from '../../../shared/api/v2.ts';
import type { CertificateOrigin } from '../../../shared/domain/certificate-namespaces.ts';
import { isGranted, reachesInto, type Doing, type Grant } from '../../../shared/domain/v2/roles.ts';
import { MonError } from '../../../shared/errors.ts';
import { DEFAULT_NAMESPACE, EVERY_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { SCOPES, type Scope } from '../../../shared/schemas/scope.ts';

/** The authenticated sender of a request or owner of a socket. */
export interface Principal {
  /** Name of the user; `anonymous` where no credentials are required; a fixed name for the programs on this machine. */
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The rights by roles, in addition to the scopes; absent: none. */
  readonly grants?: readonly Grant[] | undefined;
  /** Roles count only for routes that need one of these scopes; absent: for all routes. */
  readonly grantLimits?: ReadonlySet<Scope> | undefined;
  /** The only accessible namespace; undefined: all of them. */
  readonly namespace?: string | undefined;
  /** The id of the API key that was used. */
  readonly keyId?: string | undefined;
  /** The session of the token. */
  readonly sessionId?: string | undefined;
  /**
   * The kind of authentication. `open`: any caller on loopback while no credentials exist. `nobody`: any caller of a
   * public route. `local`: a caller with the token that a backend writes on its machine.
   */
  readonly via: 'open' | 'nobody' | 'local' | 'password' | 'key' | 'token' | 'certificate';
  /** The version of the credentials that were used, see `CredentialVersions` and `keyVersion`. */
  readonly credentialVersion?: string | undefined;
  /** SHA-256 of the authority that issued the certificate. */
  readonly authority?: string | undefined;
  /** The client names that its certificate allows for an agent; undefined: any. */
  readonly clientNames?: readonly string[] | undefined;
  /** The issuers and the subject of its certificate; undefined: there is none. */
  readonly certificateOrigin?: CertificateOrigin | undefined;
  /** The namespaces in which its certificate allows an agent to report; undefined: any. */
  readonly certificateNamespaces?: readonly string[] | undefined;
  /** Expiry of the credentials, epoch milliseconds. */
  readonly expiresMs?: number | undefined;
  /** Expiry of the certificate that was sent in addition to other credentials, epoch milliseconds. */
  readonly certificateExpiresMs?: number | undefined;
}

/** Scopes without credentials. Secrets, commands and users always require credentials (security S1). */
const OPEN_SCOPES: readonly Scope[] = ['read', 'submit', 'silence', 'resolve'];

export const ANONYMOUS: Principal = { name: 'anonymous', scopes: new Set(OPEN_SCOPES), via: 'open' };
/** No user can have this name. */
export const LOCAL_ADMINISTRATOR: Principal = { name: 'local administrator', scopes: new Set(SCOPES), via: 'local' };
/** A backend that shares the store. The rights for its own requests cannot be obtained otherwise. */
export const ANOTHER_BACKEND: Principal = { name: 'another backend', scopes: new Set(['admin']), via: 'local' };
export const UNAUTHENTICATED: Principal = { name: 'anonymous', scopes: new Set(), via: 'nobody' };

export function hasScope({ scopes }: Pick<Principal, 'scopes'>, scope: Scope): boolean {
  return scopes.has(scope) || scopes.has('admin');
}

/** True if objects of a namespace are visible to the principal; lists over all namespaces omit the others. */
export function maySee({ namespace }: Pick<Principal, 'namespace'>, other: string): boolean {
  return namespace === undefined || namespace === other;
}

/** True if the identity is known: not without credentials, and not for the programs on this machine. */
export function isAuthenticated({ via }: Pick<Principal, 'via'>): boolean {
  return via !== 'open' && via !== 'local';
}

/**
 * Returns the creator of an object: the name in the request, since a dashboard has one user for all people who use it;
 * without it the authenticated name (completion 1.22). The audit trail has both.
 */
export function creatorOf<Claimed extends string | null | undefined>(
  principal: Pick<Principal, 'via' | 'name'>,
  claimed: Claimed,
): string | Claimed {
  return isAuthenticated(principal) ? claimed || principal.name : claimed;
}

/** True if this is the name of a person, and not of an unidentified caller. */
export function isIdentifiedCaller(who: string): boolean {
  return who !== ANONYMOUS.name && who !== LOCAL_ADMINISTRATOR.name;
}

/** @throws MonError `forbidden` */
export function refuseWithoutScope(
  principal: Pick<Principal, 'name' | 'scopes' | 'via' | 'grants'>,
  ...anyOf: readonly Scope[]
): void {
  if (anyOf.some((scope) => hasScope(principal, scope))) return;
  const isBound = (principal.grants ?? []).length > 0;
  throw new MonError(
    'forbidden',
    principal.via === 'open'
      ? 'secrets, commands and users require an administrator: on this machine send the token in local-access.json of the ' +
          'state directory (monctl, mon and mon-backend do, unless they have other credentials), or create one with mon-backend init'
      : `${principal.name} lacks the scope ${anyOf.join(' or ')}${isBound ? ', and no role allows it' : ''}: use a key or a user that has it`,
  );
}

/** A route with the values of its request. */
export interface RequestedRoute {
  readonly access: Access;
  /** Its pattern; undefined: there is none. */
  readonly url: string | undefined;
  /** The namespace in the path, if its pattern has one. */
  readonly namespace: string | undefined;
  /** The namespace in its query, if it accepts one; `*`: all that the principal may see. Absent: it accepts none. */
  readonly queryNamespace?: string | undefined;
  /** The user in its path. */
  readonly user?: string | undefined;
  /** True if it affects all namespaces at once, whatever namespace the principal is limited to. */
  readonly isOfAllNamespaces?: boolean;
  /** True if it is open to every caller while no credentials exist, whatever access it requires. */
  readonly isForAnonymous?: boolean;
  /** Describes the request in the terms of roles; absent: roles do not apply to it. */
  readonly doing?: (() => Doing | undefined) | undefined;
}

/**
 * True if roles allow a request, whatever the scopes are: in its namespace, or over all namespaces if it has none. A
 * principal with any right in a namespace can see the namespace.
 *
 * @param access the access that scopes would need
 */
export function mayByRoles(
  { grants = [], grantLimits, namespace }: Pick<Principal, 'grants' | 'grantLimits' | 'namespace'>,
  access: Access,
  doing: Doing | undefined,
): boolean {
  if (grants.length === 0 || doing === undefined) return false;
  if (grantLimits !== undefined && !scopesIn(access).some((scope) => hasScope({ scopes: grantLimits }, scope))) {
    return false;
  }
  if (namespace !== undefined && namespace !== doing.namespace) return false;
  if (isGranted(grants, doing)) return true;
  if (doing.resource !== 'namespaces') return false;
  return doing.verb === 'list' || (doing.verb === 'get' && reachesInto(grants, doing.name));
}

function scopesIn(access: Access): readonly Scope[] {
  return access === 'public' || access === 'authenticated' ? [] : requiredScopes(access);
}

/** True if the principal may change a v2 object, and so may see all of it. */
export function mayUpdateObject(principal: Principal, doing: Omit<Doing, 'verb'>): boolean {
  return hasScope(principal, 'admin') || mayByRoles(principal, 'admin', { ...doing, verb: 'update' });
}

/** True if roles and scopes make a namespace visible to the principal. */
export function seesNamespace(principal: Principal, name: string): boolean {
  if (!maySee(principal, name)) return false;
  return hasScope(principal, 'read') || reachesInto(principal.grants ?? [], name);
}

/**
 * Rejects what the principal may not do (security S3). A principal that is limited to one namespace reaches nothing
 * outside of it. It may use the APIs that show only `default` if that is its namespace. Otherwise it must name its
 * namespace in the query, or use the namespace and lists of the v2 API.
 *
 * @throws MonError `forbidden`; `not_found` for an object in an invisible namespace
 */
export function refuseWithoutAccess(
  principal: Principal,
  {
    access,
    url,
    namespace,
    queryNamespace,
    user,
    isOfAllNamespaces = false,
    isForAnonymous = false,
    doing,
  }: RequestedRoute,
): void {
  if (access === 'public' || access === 'authenticated') return;
  if (access === 'self' && isUser(principal, user)) return;
  if (isForAnonymous && principal.via === 'open') return;
  if (namespace !== undefined && !maySee(principal, namespace)) throw new MonError('not_found', 'not found');
  if ((principal.grants ?? []).length > 0 && mayByRoles(principal, access, doing?.())) return;
  const scopes = requiredScopes(access);
  refuseWithoutScope(principal, ...scopes);
  if (namespace !== undefined) return;
  if (queryNamespace !== undefined) {
    if (queryNamespace !== EVERY_NAMESPACE) refuseOutsideNamespace(principal, queryNamespace);
    return;
  }
  const isOfV2 = url?.startsWith(V2_PREFIX) === true;
  if (!isOfV2) refuseOutsideDefault(principal);
  if (principal.namespace !== undefined && (isOfAllNamespaces || (isOfV2 && scopes.includes('admin')))) {
    throw new MonError('forbidden', `${principal.name} is limited to the namespace ${principal.namespace}`);
  }
}

/** True if a principal without a namespace limit may send this request. */
export function isAllowed(
  principal: Principal,
  { access, isForAnonymous = false }: Pick<RequestedRoute, 'access' | 'isForAnonymous'>,
): boolean {
  if (access === 'public' || access === 'authenticated' || (isForAnonymous && principal.via === 'open')) return true;
  return requiredScopes(access).some((scope) => hasScope(principal, scope));
}

function requiredScopes(access: Exclude<Access, 'authenticated' | 'public'>): readonly Scope[] {
  if (access === 'self') return ['admin'];
  return typeof access === 'string' ? [access] : access;
}

/**
 * True if the principal is the user of that name, by credentials that only the user has: an agent may have the same
 * name.
 */
function isUser({ via, name }: Principal, user: string | undefined): boolean {
  return name === user && (via === 'password' || via === 'token' || via === 'key');
}

/** @throws MonError `forbidden` if the principal is limited to another namespace than the requested one */
export function refuseOutsideNamespace(principal: Pick<Principal, 'name' | 'namespace'>, namespace: string): void {
  if (maySee(principal, namespace)) return;
  const own = String(principal.namespace);
  throw new MonError(
    'forbidden',
    `${principal.name} is limited to the namespace ${own} and cannot access ${namespace}: use ${own}`,
  );
}

/** @throws MonError `forbidden` if the principal is limited to another namespace than the one that version 1 shows */
function refuseOutsideDefault(principal: Pick<Principal, 'name' | 'namespace'>): void {
  if (maySee(principal, DEFAULT_NAMESPACE)) return;
  throw new MonError(
    'forbidden',
    `${principal.name} is limited to the namespace ${String(principal.namespace)}, but this path shows ${DEFAULT_NAMESPACE}: use ${V2_PREFIX}`,
  );
}
