import type { OidcSettings } from '../schemas/oidc.ts';
import { NAME_LENGTH_MAX } from '../schemas/name.ts';

/** The account of a user at an issuer. Only both values together identify it, and they never change. */
export interface OidcAccount {
  readonly issuer: string;
  readonly subject: string;
}

/** A user as an issuer describes it. */
export interface OidcIdentity extends OidcAccount {
  readonly username: string;
  /** The groups of the user, each with the prefix of the settings. */
  readonly groups: readonly string[];
}

/** A decision: a value, or the reason why there is none. */
export type OidcVerdict<Value> = { readonly value: Value } | { readonly refused: string };

/** The signature algorithms that are accepted. All are asymmetric: only the issuer can sign. */
export const OIDC_ALGORITHMS: readonly string[] = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
];

/** Tolerated difference between the clocks of the issuer and the backend, in seconds. */
export const CLOCK_SKEW_SECONDS = 60;

/** Time, in milliseconds, for which one confirmation by the issuer is valid. A removed group takes effect within it. */
export const CONFIRMED_MS = 60_000;

/** Time after the last confirmation for which a session can be renewed while the issuer does not answer. */
const ISSUER_AWAY_MS = 12 * 3_600_000;

const GROUPS_MAX = 1000;
const USERNAME = /^[\w.@-]+$/;
const RESERVED_USERNAMES: ReadonlySet<string> = new Set(['.', '..', 'mon', 'anonymous']);
/** Groups with this prefix are part of `mon`, so an issuer cannot put users into them. */
const SYSTEM_PREFIX = 'system:';

type Claims = Readonly<Record<string, unknown>>;

/**
 * Returns the user that the claims of an issuer describe. Groups whose names cannot be used are left out.
 *
 * @param claims the verified claims of an ID token, completed by those of the userinfo endpoint
 */
export function identityOfClaims(
  { issuer, ...settings }: Pick<OidcSettings, 'issuer' | 'username-claim' | 'groups-claim' | 'groups-prefix'>,
  claims: Claims,
): OidcVerdict<OidcIdentity> {
  const { sub: subject } = claims;
  if (typeof subject !== 'string' || subject === '' || subject.length > NAME_LENGTH_MAX) {
    return { refused: 'the token has no valid subject (sub): check the issuer' };
  }
  const claim = settings['username-claim'];
  const username = claims[claim];
  if (typeof username !== 'string' || username === '') {
    return {
      refused: `the issuer sent no claim ${claim}: let it send the claim, request a scope for it, or set username-claim`,
    };
  }
  if (claim === 'email' && claims['email_verified'] === false) {
    return { refused: 'the issuer has not verified the email address of the user: verify it, or set username-claim' };
  }
  if (!USERNAME.test(username) || username.length > NAME_LENGTH_MAX || RESERVED_USERNAMES.has(username)) {
    return {
      refused: `the claim ${claim} is not a valid user name: it may contain word characters, dots, hyphens and @; set username-claim to another claim`,
    };
  }
  const groups = groupsOfClaim(claims[settings['groups-claim']], settings['groups-prefix']);
  if (groups.length > GROUPS_MAX) {
    return { refused: `the user has more than ${String(GROUPS_MAX)} groups: let the issuer send fewer` };
  }
  return { value: { issuer, subject, username, groups } };
}

/** True if the ID token lacks a claim that the userinfo endpoint possibly has. */
export function needsUserinfo(
  settings: Pick<OidcSettings, 'username-claim' | 'groups-claim'>,
  claims: Claims,
): boolean {
  return [settings['username-claim'], settings['groups-claim']].some((claim) => claims[claim] === undefined);
}

function groupsOfClaim(claim: unknown, prefix: string): readonly string[] {
  const names = typeof claim === 'string' ? [claim] : Array.isArray(claim) ? (claim as readonly unknown[]) : [];
  const groups = new Set<string>();
  for (const name of names) {
    if (typeof name !== 'string' || name === '') continue;
    const group = `${prefix}${name}`;
    // eslint-disable-next-line no-control-regex -- control characters are what is searched for
    if (group.length > NAME_LENGTH_MAX || /[\x00-\x1f\x7f]/.test(group) || group.startsWith(SYSTEM_PREFIX)) continue;
    groups.add(group);
  }
  return [...groups];
}

/** The stored user whose name an identity has, as far as it decides about a login. */
interface PresentUser {
  readonly disabled: boolean;
  /** The account that the user logs in with; absent for a local user, who has a password. */
  readonly account?: OidcAccount | undefined;
}

/**
 * Returns why a user may not log in; undefined if it may. A local user and another account with the same name are never
 * taken over.
 *
 * @param present the stored user with the name; undefined if there is none
 * @param isConfigured true if `api.user` has this name
 */
export function loginRefusal(
  { username, issuer, subject }: OidcIdentity,
  present: PresentUser | undefined,
  isConfigured: boolean,
): string | undefined {
  if (isConfigured || (present !== undefined && present.account === undefined)) {
    return `there is a local user ${username}: log in with its password, or set username-claim to a claim with other names`;
  }
  if (present === undefined) return undefined;
  if (present.account?.issuer !== issuer || present.account.subject !== subject) {
    return `the user ${username} belongs to another account of the identity provider: give one of the two accounts another user name there`;
  }
  return present.disabled ? `the user ${username} is disabled: ask an administrator` : undefined;
}

/** The response of an issuer to the question whether a login is still valid. */
export type IssuerAnswer =
  | { readonly kind: 'confirmed'; readonly identity: OidcIdentity; readonly refreshToken: string }
  /** The issuer rejects the login, for example because the account was disabled. */
  | { readonly kind: 'ended'; readonly reason: string }
  /** The issuer cannot be reached, or fails. */
  | {
      readonly kind: 'away';
      readonly reason: string;
      /** The refresh token for the next question. It is a new one if the issuer failed after it had replaced it. */
      readonly refreshToken: string;
    };

/**
 * Returns why a session ends; undefined if it is renewed. While the issuer does not answer, a session is renewed with
 * its last known groups, so that an outage of the issuer locks nobody out.
 *
 * @param account the account that opened the session
 * @param confirmedMs time of the last confirmation, epoch milliseconds
 */
export function renewalRefusal(
  account: OidcAccount & { readonly username: string },
  confirmedMs: number,
  answer: IssuerAnswer,
  nowMs: number,
): string | undefined {
  switch (answer.kind) {
    case 'ended':
      return answer.reason;
    case 'away':
      return nowMs - confirmedMs < ISSUER_AWAY_MS
        ? undefined
        : `the identity provider has not answered for too long: ${answer.reason}`;
    case 'confirmed': {
      const { issuer, subject, username } = answer.identity;
      return issuer === account.issuer && subject === account.subject && username === account.username
        ? undefined
        : 'the identity provider describes another user';
    }
  }
}
