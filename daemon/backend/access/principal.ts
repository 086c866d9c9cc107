import type { Access } from '../../../shared/api/endpoint.ts';
import { V2_PREFIX } from '../../../shared/api/v2.ts';
import type { CertificateOrigin } from '../../../shared/domain/certificate-namespaces.ts';
import type { OidcAccount } from '../../../shared/domain/oidc.ts';
import { isGranted, canSeeNamespace, type Operation, type Grant } from '../../../shared/domain/v2/roles.ts';
import { MonError } from '../../../shared/errors.ts';
import { DEFAULT_NAMESPACE, EVERY_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { SCOPES, type Scope } from '../../../shared/schemas/scope.ts';

/** The sender of a request or the owner of a connection, with its identity and its rights. */
export interface Principal {
  /** Name of the user or agent; `anonymous` without credentials; a fixed name for programs on this machine. */
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
  /** The rights that roles grant in addition to the scopes; absent if there are none. */
  readonly grants?: readonly Grant[] | undefined;
  /**
   * The scopes that limit the roles of an API key: roles apply only to routes that need one of these scopes. Absent if
   * roles apply to all routes.
   */
  readonly grantLimits?: ReadonlySet<Scope> | undefined;
  /** The only namespace that the principal may access; undefined if it may access all namespaces. */
  readonly namespace?: string | undefined;
  /** The id of the API key with which the principal authenticated; undefined if it used other credentials. */
  readonly keyId?: string | undefined;
  /** The id of the session to which the principal's access token belongs; undefined if it used other credentials. */
  readonly sessionId?: string | undefined;
  /**
   * The kind of authentication. `open`: any caller while no credentials exist. `nobody`: any caller of a public route.
   * `local`: a caller with the token that a backend writes on its machine, or another backend.
   */
  readonly via: 'open' | 'nobody' | 'local' | 'password' | 'key' | 'token' | 'certificate';
  /**
   * The version of the credentials with which the principal authenticated, see `CredentialVersions` and `keyVersion`.
   */
  readonly credentialVersion?: string | undefined;
  /**
   * SHA-256 fingerprint of the authority that issued the principal's certificate; undefined if there is no certificate.
   */
  readonly authority?: string | undefined;
  /** The names of clients that the certificate of an agent allows; undefined if any name is allowed. */
  readonly clientNames?: readonly string[] | undefined;
  /** The issuers and the subject of the principal's certificate; undefined if there is no certificate. */
  readonly certificateOrigin?: CertificateOrigin | undefined;
  /** The namespaces in which the certificate allows an agent to report; undefined if all namespaces are allowed. */
  readonly certificateNamespaces?: readonly string[] | undefined;
  /** The account at the identity provider with which the user logged in; undefined for other credentials. */
  readonly account?: OidcAccount | undefined;
  /** Expiry of the credentials, epoch milliseconds; undefined if they do not expire. */
  readonly expiresMs?: number | undefined;
  /**
   * Expiry of the certificate that was sent in addition to other credentials, epoch milliseconds; undefined if none was
   * sent.
   */
  readonly certificateExpiresMs?: number | undefined;
}

/**
 * Scopes of every caller while no credentials exist. Secrets, commands and users always require credentials (security
 * S1).
 */
const OPEN_SCOPES: readonly Scope[] = ['read', 'submit', 'silence', 'resolve'];

export const ANONYMOUS_PRINCIPAL: Principal = { name: 'anonymous', scopes: new Set(OPEN_SCOPES), via: 'open' };
/** A program on this machine that sends the token of the backend. No user can have this name. */
export const LOCAL_ADMINISTRATOR: Principal = { name: 'local administrator', scopes: new Set(SCOPES), via: 'local' };
/** The principal of a request that another backend with the same store sends on its own behalf, not for a caller. */
export const OTHER_BACKEND_PRINCIPAL: Principal = { name: 'another backend', scopes: new Set(['admin']), via: 'local' };
export const UNAUTHENTICATED_PRINCIPAL: Principal = { name: 'anonymous', scopes: new Set(), via: 'nobody' };

export function hasScope({ scopes }: Pick<Principal, 'scopes'>, scope: Scope): boolean {
  return scopes.has(scope) || scopes.has('admin');
}

/** True if the principal is not limited to a namespace, or is limited to the namespace `other`. */
export function maySeeNamespace({ namespace }: Pick<Principal, 'namespace'>, other: string): boolean {
  return namespace === undefined || namespace === other;
}

/**
 * False for an anonymous caller of a backend without credentials, and for programs on this machine: their names
 * identify no person.
 */
export function isAuthenticated({ via }: Pick<Principal, 'via'>): boolean {
  return via !== 'open' && via !== 'local';
}

/**
 * Returns the creator of an object: the name in the request, because all people who use a dashboard share one user;
 * otherwise the authenticated name, if there is one (completion 1.22). The audit trail records both names.
 */
export function creatorOf<Claimed extends string | null | undefined>(
  principal: Pick<Principal, 'via' | 'name'>,
  claimed: Claimed,
): string | Claimed {
  return isAuthenticated(principal) ? claimed || principal.name : claimed;
}

/** True if the name is neither that of anonymous callers nor that of programs on this machine. */
export function isIdentifiedCaller(who: string): boolean {
  return who !== ANONYMOUS_PRINCIPAL.name && who !== LOCAL_ADMINISTRATOR.name;
}

/** @throws MonError `forbidden` if the principal has none of the scopes */
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

/** The route of a request, with the values in its path and query that decide about access. */
export interface RequestedRoute {
  readonly access: Access;
  /** The pattern of the route's path; undefined if no route matches the request. */
  readonly url: string | undefined;
  /** The namespace in the path; undefined if the pattern contains no namespace. */
  readonly namespace: string | undefined;
  /**
   * The namespace in the query; `*` means all namespaces that the principal may see. Absent if the route accepts no
   * namespace in its query.
   */
  readonly queryNamespace?: string | undefined;
  /** The user name in the path; absent if the pattern contains no user. */
  readonly user?: string | undefined;
  /**
   * True if the request affects all namespaces at once, so that a principal limited to one namespace may not send it.
   */
  readonly isOfAllNamespaces?: boolean;
  /** True if the route is open to every caller while no credentials exist, whatever access it requires otherwise. */
  readonly isForAnonymous?: boolean;
  /**
   * Returns the verb, resource, name and namespace of the request, the terms in which roles grant rights. Absent if
   * roles do not apply to the request.
   */
  readonly doing?: (() => Operation | undefined) | undefined;
}

/**
 * True if the principal's roles allow a request, whatever its scopes are. A principal with any right in a namespace can
 * also see that namespace.
 *
 * @param access access that the route requires, for principals whose roles are limited by scopes
 * @param doing verb, resource, name and namespace of the request; undefined if roles do not apply to it
 */
export function isAllowedByRoles(
  { grants = [], grantLimits, namespace }: Pick<Principal, 'grants' | 'grantLimits' | 'namespace'>,
  access: Access,
  doing: Operation | undefined,
): boolean {
  if (grants.length === 0 || doing === undefined) return false;
  if (
    grantLimits !== undefined &&
    !requiredScopesOf(access).some((scope) => hasScope({ scopes: grantLimits }, scope))
  ) {
    return false;
  }
  if (namespace !== undefined && namespace !== doing.namespace) return false;
  if (isGranted(grants, doing)) return true;
  if (doing.resource !== 'namespaces') return false;
  return doing.verb === 'list' || (doing.verb === 'get' && canSeeNamespace(grants, doing.name));
}

function requiredScopesOf(access: Access): readonly Scope[] {
  return access === 'public' || access === 'authenticated' ? [] : requiredScopes(access);
}

/** True if the principal may update a v2 object, and therefore see all its attributes. */
export function mayUpdateObject(principal: Principal, doing: Omit<Operation, 'verb'>): boolean {
  return hasScope(principal, 'admin') || isAllowedByRoles(principal, 'admin', { ...doing, verb: 'update' });
}

/** True if the principal may see a namespace, by its scopes or by its roles. */
export function seesNamespace(principal: Principal, name: string): boolean {
  if (!maySeeNamespace(principal, name)) return false;
  return hasScope(principal, 'read') || canSeeNamespace(principal.grants ?? [], name);
}

/**
 * Rejects a request that the principal may not send (security S3). A principal that is limited to one namespace has no
 * access to other namespaces. APIs that show only `default` are open to it if `default` is its namespace. For other
 * APIs it must name its namespace in the query or path, or read lists of the v2 API.
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
  if (namespace !== undefined && !maySeeNamespace(principal, namespace)) throw new MonError('not_found', 'not found');
  if ((principal.grants ?? []).length > 0 && isAllowedByRoles(principal, access, doing?.())) return;
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

/** True if the scopes of a principal allow a request; namespaces and roles are not considered. */
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
 * True if the principal is the user of that name. A certificate does not count, because an agent may have the same
 * name.
 */
function isUser({ via, name }: Principal, user: string | undefined): boolean {
  return name === user && (via === 'password' || via === 'token' || via === 'key');
}

/** @throws MonError `forbidden` if the principal is limited to a namespace other than the requested one */
export function refuseOutsideNamespace(principal: Pick<Principal, 'name' | 'namespace'>, namespace: string): void {
  if (maySeeNamespace(principal, namespace)) return;
  const own = String(principal.namespace);
  throw new MonError(
    'forbidden',
    `${principal.name} is limited to the namespace ${own} and cannot access ${namespace}: use ${own}`,
  );
}

/**
 * @throws MonError `forbidden` if the principal is limited to a namespace other than `default`, the only one in the v1
 *   API
 */
function refuseOutsideDefault(principal: Pick<Principal, 'name' | 'namespace'>): void {
  if (maySeeNamespace(principal, DEFAULT_NAMESPACE)) return;
  throw new MonError(
    'forbidden',
    `${principal.name} is limited to the namespace ${String(principal.namespace)}, but this path shows ${DEFAULT_NAMESPACE}: use ${V2_PREFIX}`,
  );
}
