import type { Access } from '../../../shared/api/endpoint.ts';
import { V2_PREFIX } from '../../../shared/api/v2.ts';
import type { CertificateOrigin } from '../../../shared/domain/certificate-namespaces.ts';
import { isGranted, reachesInto, type Doing, type Grant } from '../../../shared/domain/v2/roles.ts';
import { MonError } from '../../../shared/errors.ts';
import { DEFAULT_NAMESPACE, EVERY_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { SCOPES, type Scope } from '../../../shared/schemas/scope.ts';

/** Who sends a request or holds a socket, once that is certain. */
export interface Principal {
  /** Of the user; `anonymous` where nobody has to show credentials, and of the programs on this machine their own. */
  readonly name: string;
  readonly scopes: ReadonlySet<Scope>;
  /** What roles allow, beside the scopes; absent: nothing. */
  readonly grants?: readonly Grant[] | undefined;
  /** Roles count only for routes that ask for one of these scopes; absent: for all of them. */
  readonly grantLimits?: ReadonlySet<Scope> | undefined;
  /** The only namespace that this one can reach; undefined: all of them. */
  readonly namespace?: string | undefined;
  /** Of the API key that was shown. */
  readonly keyId?: string | undefined;
  /** Of the log-in that its token belongs to. */
  readonly sessionId?: string | undefined;
  /**
   * How it is known: `open` is everybody on loopback while no credentials exist, `nobody` whoever asks a public route,
   * `local` who can read the token that a backend leaves on its machine.
   */
  readonly via: 'open' | 'nobody' | 'local' | 'password' | 'key' | 'token' | 'certificate';
  /** The version of the credentials that were shown, see `CredentialVersions` and `keyVersion`. */
  readonly credentialVersion?: string | undefined;
  /** SHA-256 of the authority that vouches for its certificate. */
  readonly authority?: string | undefined;
  /** Of the clients that it may be as an agent, by its certificate; undefined: of any. */
  readonly clientNames?: readonly string[] | undefined;
  /** The issuers and the subject of its certificate; undefined: it has shown none. */
  readonly certificateOrigin?: CertificateOrigin | undefined;
  /** The only namespaces that it may report in as an agent, by its certificate; undefined: any. */
  readonly certificateNamespaces?: readonly string[] | undefined;
  /** From then on the credentials are no longer valid: authenticate again, epoch milliseconds. */
  readonly expiresMs?: number | undefined;
  /** When the certificate ends that was shown beside other credentials, epoch milliseconds. */
  readonly certificateExpiresMs?: number | undefined;
}

/** What holds secrets, or makes commands or users, is never for everybody (security S1). */
const OPEN_SCOPES: readonly Scope[] = ['read', 'submit', 'silence', 'resolve'];

export const ANONYMOUS: Principal = { name: 'anonymous', scopes: new Set(OPEN_SCOPES), via: 'open' };
/** No user can have this name. */
export const LOCAL_ADMINISTRATOR: Principal = { name: 'local administrator', scopes: new Set(SCOPES), via: 'local' };
/** One that shares the store; nobody comes by what it asks for itself. */
export const ANOTHER_BACKEND: Principal = { name: 'another backend', scopes: new Set(['admin']), via: 'local' };
export const NOBODY: Principal = { name: 'anonymous', scopes: new Set(), via: 'nobody' };

export function hasScope({ scopes }: Pick<Principal, 'scopes'>, scope: Scope): boolean {
  return scopes.has(scope) || scopes.has('admin');
}

/** Whether objects of a namespace exist for this one; lists over all namespaces leave out the others. */
export function maySee({ namespace }: Pick<Principal, 'namespace'>, other: string): boolean {
  return namespace === undefined || namespace === other;
}

/** Whether it is known who this is: not where nobody has to show credentials, nor of the programs on this machine. */
export function isAuthenticated({ via }: Pick<Principal, 'via'>): boolean {
  return via !== 'open' && via !== 'local';
}

/**
 * Who made something: whom the request names, since a dashboard has one user for all who sit in front of it; without a name
 * who is authenticated (completion 1.22). The audit trail has both.
 */
export function creatorOf<Claimed extends string | null | undefined>(
  principal: Pick<Principal, 'via' | 'name'>,
  claimed: Claimed,
): string | Claimed {
  return isAuthenticated(principal) ? claimed || principal.name : claimed;
}

/** Whether this is somebody's name, other than what stands for whoever shows none. */
export function isNamed(who: string): boolean {
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
          'state directory (monctl, mon and mon-backend do, unless they are given other credentials), or make one with mon-backend init'
      : `${principal.name} lacks the scope ${anyOf.join(' or ')}${isBound ? ', and no role allows it' : ''}: use a key or a user that has it`,
  );
}

/** A route as its request sees it. */
export interface AskedRoute {
  readonly access: Access;
  /** Its pattern; undefined: there is none. */
  readonly url: string | undefined;
  /** Of the path, where its pattern has one. */
  readonly namespace: string | undefined;
  /** The namespace that its query names, where it takes one; `*`: all that the principal may see. Absent: it takes none. */
  readonly asked?: string | undefined;
  /** The user in its path. */
  readonly user?: string | undefined;
  /** Whether it reaches into all namespaces at once, whichever the principal is kept to. */
  readonly isOfAllNamespaces?: boolean;
  /** Whether it is for everybody while no credentials exist, whatever it asks for. */
  readonly isForAnonymous?: boolean;
  /** The request in the words of roles; absent: roles say nothing about it. */
  readonly doing?: (() => Doing | undefined) | undefined;
}

/**
 * Whether roles allow something, whatever the scopes are: in the namespace of the request, or over all of them where it is in
 * none. Who may reach anything in a namespace sees that it is there.
 *
 * @param access what the scopes would have to be
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
  return access === 'public' || access === 'authenticated' ? [] : scopesAsked(access);
}

/** Whether this one may change an object of version 2, and so may see all of it. */
export function mayChange(principal: Principal, doing: Omit<Doing, 'verb'>): boolean {
  return hasScope(principal, 'admin') || mayByRoles(principal, 'admin', { ...doing, verb: 'update' });
}

/** Whether a namespace is there for this one, as far as roles and scopes say. */
export function seesNamespace(principal: Principal, name: string): boolean {
  if (!maySee(principal, name)) return false;
  return hasScope(principal, 'read') || reachesInto(principal.grants ?? [], name);
}

/**
 * Refuses what the principal may not do (security S3). Who is kept to one namespace reaches nothing outside of it: the
 * faces that show `default` only with that one, what names its namespace in the query by that name, and of version 2 its
 * own namespace and lists.
 *
 * @throws MonError `forbidden`; `not_found` for an object in a namespace that it may not see
 */
export function refuseWithoutAccess(
  principal: Principal,
  { access, url, namespace, asked, user, isOfAllNamespaces = false, isForAnonymous = false, doing }: AskedRoute,
): void {
  if (access === 'public' || access === 'authenticated') return;
  if (access === 'self' && isUser(principal, user)) return;
  if (isForAnonymous && principal.via === 'open') return;
  if (namespace !== undefined && !maySee(principal, namespace)) throw new MonError('not_found', 'not found');
  if ((principal.grants ?? []).length > 0 && mayByRoles(principal, access, doing?.())) return;
  const scopes = scopesAsked(access);
  refuseWithoutScope(principal, ...scopes);
  if (namespace !== undefined) return;
  if (asked !== undefined) {
    if (asked !== EVERY_NAMESPACE) refuseOutsideNamespace(principal, asked);
    return;
  }
  const isOfV2 = url?.startsWith(V2_PREFIX) === true;
  if (!isOfV2) refuseOutsideDefault(principal);
  if (principal.namespace !== undefined && (isOfAllNamespaces || (isOfV2 && scopes.includes('admin')))) {
    throw new MonError('forbidden', `${principal.name} is limited to the namespace ${principal.namespace}`);
  }
}

/** Whether a principal that is kept to no namespace may ask for this. */
export function isAllowed(
  principal: Principal,
  { access, isForAnonymous = false }: Pick<AskedRoute, 'access' | 'isForAnonymous'>,
): boolean {
  if (access === 'public' || access === 'authenticated' || (isForAnonymous && principal.via === 'open')) return true;
  return scopesAsked(access).some((scope) => hasScope(principal, scope));
}

function scopesAsked(access: Exclude<Access, 'authenticated' | 'public'>): readonly Scope[] {
  if (access === 'self') return ['admin'];
  return typeof access === 'string' ? [access] : access;
}

/** Whether this is the user of that name, by credentials that only the user has: an agent may be called the same. */
function isUser({ via, name }: Principal, user: string | undefined): boolean {
  return name === user && (via === 'password' || via === 'token' || via === 'key');
}

/** @throws MonError `forbidden` for who is kept to another namespace than the one that is asked for */
export function refuseOutsideNamespace(principal: Pick<Principal, 'name' | 'namespace'>, asked: string): void {
  if (maySee(principal, asked)) return;
  const own = String(principal.namespace);
  throw new MonError(
    'forbidden',
    `${principal.name} is limited to the namespace ${own} and cannot access ${asked}: use ${own}`,
  );
}

/** @throws MonError `forbidden` for who is kept to another namespace than the one that version 1 shows */
function refuseOutsideDefault(principal: Pick<Principal, 'name' | 'namespace'>): void {
  if (maySee(principal, DEFAULT_NAMESPACE)) return;
  throw new MonError(
    'forbidden',
    `${principal.name} is limited to the namespace ${String(principal.namespace)}, but this shows ${DEFAULT_NAMESPACE}: use ${V2_PREFIX}`,
  );
}
