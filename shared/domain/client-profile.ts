import type { Client } from '../schemas/client.ts';
import { COMPATIBLE_VERSION } from '../schemas/version.ts';
import type { Attributes } from './attributes.ts';
import { leavesBySilence } from './v2/agent.ts';
import { saysWhenSilent } from './v2/keepalive.ts';
import { keepaliveOf } from './keepalive.ts';
import { redact, redactKeysOf } from './redact.ts';
import { clientSubscription } from './subscription.ts';
import { mayHoldTokens } from './tokens.ts';

/** What decides about a client and is alike for many: the rest of its record is only shown. */
export interface ClientProfile {
  readonly version: string;
  /** `OWN_SUBSCRIPTION` stands for the one that nobody else has. */
  readonly subscriptions: readonly string[];
  readonly isProxy: boolean;
  /** Whether keepalives are expected. */
  readonly sendsKeepalives: boolean;
  /** Whether it is an agent of the newer generation, whose silence is looked at by the second, in words of its own. */
  readonly isPunctual: boolean;
  readonly deregisters: boolean;
  readonly leavesBySilence: boolean;
  /** What its keepalive results take over. */
  readonly keepalive: Attributes;
  /** Whether there are tokens in that, which may name any attribute. */
  readonly hasKeepaliveTokens: boolean;
  /** The keys that it names itself to be hidden. */
  readonly redact: readonly string[] | undefined;
}

/** No subscription is empty. */
export const OWN_SUBSCRIPTION = '';

/** Longest version that is kept; a real one is far shorter. */
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
    isPunctual: saysWhenSilent(client),
    deregisters: client['deregister'] === true,
    leavesBySilence: leavesBySilence(client),
    keepalive,
    hasKeepaliveTokens: mayHoldTokens(keepalive),
    redact: Array.isArray(keys) ? keys.filter((key) => typeof key === 'string') : undefined,
  };
}

/** The subscriptions of the client of this name, in their order. */
export function subscriptionsOf({ subscriptions }: Pick<ClientProfile, 'subscriptions'>, name: string): string[] {
  return subscriptions.map((subscription) =>
    subscription === OWN_SUBSCRIPTION ? clientSubscription(name) : subscription,
  );
}

/** The address as it may be shown. */
export function shownAddress(client: Client): string {
  return redact({ address: client.address }, redactKeysOf(client)).address;
}
