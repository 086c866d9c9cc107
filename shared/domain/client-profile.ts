import type { Client } from '../schemas/client.ts';
import { COMPATIBLE_VERSION } from '../schemas/version.ts';
import type { Attributes } from './attributes.ts';
import { deregistersWithoutKeepalives } from './v2/agent.ts';
import { hasKeepaliveThresholds } from './v2/keepalive.ts';
import { keepaliveOf } from './keepalive.ts';
import { redact, redactKeysOf } from './redact.ts';
import { clientSubscription } from './subscription.ts';
import { mayHoldTokens } from './tokens.ts';

/**
 * The attributes of a client that the backend evaluates and that many clients share. All other attributes are only
 * displayed.
 */
export interface ClientProfile {
  readonly version: string;
  /** Subscriptions of the client. Its own one, `client:NAME`, is replaced by `OWN_SUBSCRIPTION`. */
  readonly subscriptions: readonly string[];
  readonly isProxy: boolean;
  /** Whether the client is expected to send keepalives. */
  readonly sendsKeepalives: boolean;
  /**
   * Whether it is a Sensu Go agent with its own keepalive thresholds. Its missing keepalives are checked every second,
   * and reported with the output of Sensu Go.
   */
  readonly hasOwnThresholds: boolean;
  readonly deregisters: boolean;
  readonly leavesBySilence: boolean;
  /** Attributes that are copied to the keepalive results of the client. */
  readonly keepalive: Attributes;
  /** Whether `keepalive` contains tokens. A token can refer to any attribute of the client. */
  readonly hasKeepaliveTokens: boolean;
  /** Keys in the client's attribute `redact`, whose values are redacted. */
  readonly redact: readonly string[] | undefined;
}

/** Placeholder for the subscription `client:NAME` that only one client has. A real subscription is never empty. */
export const OWN_SUBSCRIPTION = '';

/** Maximum length of a stored version; longer ones are cut. Real versions are far shorter. */
const VERSION_LENGTH_MAX = 255;

export function profileOf(client: Client): ClientProfile {
  const { name, version, subscriptions, keepalives } = client;
  const own = clientSubscription(name);
  const keys = client['redact'];
  const keepalive = keepaliveOf(client);
  return {
    version: typeof version === 'string' ? version.slice(0, VERSION_LENGTH_MAX) : COMPATIBLE_VERSION,
    subscriptions: subscriptions.map((subscription) => (subscription === own ? OWN_SUBSCRIPTION : subscription)),
    isProxy: client['type'] === 'proxy',
    sendsKeepalives: keepalives !== false,
    hasOwnThresholds: hasKeepaliveThresholds(client),
    deregisters: client['deregister'] === true,
    leavesBySilence: deregistersWithoutKeepalives(client),
    keepalive,
    hasKeepaliveTokens: mayHoldTokens(keepalive),
    redact: Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : undefined,
  };
}

/** Returns the subscriptions of the client with this name, with `client:NAME` in the place of `OWN_SUBSCRIPTION`. */
export function subscriptionsOf({ subscriptions }: Pick<ClientProfile, 'subscriptions'>, name: string): string[] {
  return subscriptions.map((subscription) =>
    subscription === OWN_SUBSCRIPTION ? clientSubscription(name) : subscription,
  );
}

/** Returns the address of a client after redaction. */
export function shownAddress(client: Client): string {
  return redact({ address: client.address }, redactKeysOf(client)).address;
}
