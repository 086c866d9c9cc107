import type { Client } from '../schemas/client.ts';
import { COMPATIBLE_VERSION } from '../schemas/version.ts';
import type { Attributes } from './attributes.ts';
import { leavesBySilence } from './v2/agent.ts';
import { hasKeepaliveThresholds } from './v2/keepalive.ts';
import { keepaliveOf } from './keepalive.ts';
import { redact, redactKeysOf } from './redact.ts';
import { clientSubscription } from './subscription.ts';
import { mayHoldTokens } from './tokens.ts';

/**
 * The attributes of a client that affect decisions and are equal for many clients. The rest of its record is only
 * displayed.
 */
export interface ClientProfile {
  readonly version: string;
  /** `OWN_SUBSCRIPTION` represents the subscription that only this client has. */
  readonly subscriptions: readonly string[];
  readonly isProxy: boolean;
  /** Whether keepalives are expected. */
  readonly sendsKeepalives: boolean;
  /**
   * Whether it is an agent of Sensu Go. Its missing keepalives are checked to the second and reported in other words.
   */
  readonly isPunctual: boolean;
  readonly deregisters: boolean;
  readonly leavesBySilence: boolean;
  /** Attributes that its keepalive results take over. */
  readonly keepalive: Attributes;
  /** Whether `keepalive` contains tokens, which may name any attribute. */
  readonly hasKeepaliveTokens: boolean;
  /** Keys that the client itself wants redacted. */
  readonly redact: readonly string[] | undefined;
}

/** Empty, because no real subscription is. */
export const OWN_SUBSCRIPTION = '';

/** Maximum length of a stored version; real ones are far shorter. */
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
    isPunctual: hasKeepaliveThresholds(client),
    deregisters: client['deregister'] === true,
    leavesBySilence: leavesBySilence(client),
    keepalive,
    hasKeepaliveTokens: mayHoldTokens(keepalive),
    redact: Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : undefined,
  };
}

/** Returns the subscriptions of the client of this name, in their order. */
export function subscriptionsOf({ subscriptions }: Pick<ClientProfile, 'subscriptions'>, name: string): string[] {
  return subscriptions.map((subscription) =>
    subscription === OWN_SUBSCRIPTION ? clientSubscription(name) : subscription,
  );
}

/** Returns the address of a client after redaction. */
export function shownAddress(client: Client): string {
  return redact({ address: client.address }, redactKeysOf(client)).address;
}
