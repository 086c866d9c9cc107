import { arch, hostname, networkInterfaces, platform } from 'node:os';
import type { Attributes } from '../../shared/domain/attributes.ts';
import { tokenEntityOf } from '../../shared/domain/v2/tokens.ts';
import { given } from '../../shared/domain/given.ts';
import { isSettings, type Settings } from '../../shared/domain/merge-settings.ts';
import { redact, redactKeysOf } from '../../shared/domain/redact.ts';
import { MonError } from '../../shared/errors.ts';
import { clientSubscription } from '../../shared/domain/subscription.ts';
import type { SpoolTrouble } from '../../shared/schemas/agent.ts';
import { clientSchema, type Client, type SubmittedClient } from '../../shared/schemas/client.ts';
import { NAME_LENGTH_MAX } from '../../shared/schemas/name.ts';
import { VERSION } from '../../shared/schemas/version.ts';

/** What the command line says about this client; it wins over the definitions. */
export interface ClientFlags {
  readonly name?: string | undefined;
  readonly address?: string | undefined;
  readonly subscriptions?: readonly string[] | undefined;
}

/** The record without its time: name, address and subscriptions first, then everything else of the `client` section. */
export type ClientIdentity = SubmittedClient & { readonly subscriptions: string[] };

/**
 * Who this client is (completion 1.10): flags over the `client` section over what the machine says. The subscription
 * `client:<name>` is always the last.
 *
 * @throws MonError `invalid` that names every attribute that breaks a rule
 */
export function clientIdentity(flags: ClientFlags, section: Settings): ClientIdentity {
  const named = { name: machineName(), address: machineAddress(), ...section, ...given(flags) };
  const answer = clientSchema.safeParse(named);
  if (!answer.success) {
    const problems = answer.error.issues.map((issue) => `client.${issue.path.map(String).join('.')}: ${issue.message}`);
    throw new MonError('invalid', ['the client is not valid:', ...problems].join('\n  '));
  }
  const { name, address, subscriptions } = answer.data;
  const own = clientSubscription(name);
  const others = (subscriptions ?? []).filter((subscription) => subscription !== own);
  return { ...answer.data, name, address, subscriptions: [...new Set(others), own] };
}

/**
 * What is hidden in everything about this client that leaves the agent: its own `redact` list replaces the default one.
 */
export function secretKeys(identity: ClientIdentity): ReadonlySet<string> {
  return redactKeysOf({ ...identity, timestamp: 0, version: VERSION });
}

/**
 * The record as the backend gets it: without secrets, which are for the commands of this machine (completion 1.10).
 * What the backend cannot do without stays, whatever `redact` names.
 *
 * @param now epoch seconds
 * @param trouble undefined: the spool can be written
 */
export function publishedClient(identity: ClientIdentity, now: number, trouble?: SpoolTrouble): Client {
  const { name, address, subscriptions, redact: keys, signature } = identity;
  return {
    ...redact(identity, secretKeys(identity)),
    name,
    address,
    subscriptions,
    ...(keys === undefined ? {} : { redact: keys }),
    ...(signature === undefined ? {} : { signature }),
    ...(trouble === undefined ? {} : { spool: trouble }),
    timestamp: now,
    version: VERSION,
  };
}

/**
 * This client as the tokens of version 2 see it, secrets included. `system` is what the machine says, beneath what the
 * `client` section says of it; words of the peer, whose processors are called as Go calls them.
 */
export function machineEntity(namespace: string, identity: ClientIdentity): Attributes {
  const machine = { hostname: hostname(), os: platform(), arch: arch() === 'x64' ? 'amd64' : arch() };
  const system = isSettings(identity['system']) ? identity['system'] : {};
  return tokenEntityOf(namespace, { ...identity, system: { ...machine, ...system }, timestamp: 0, version: VERSION });
}

/** The host name; a sign that no name may hold becomes a hyphen. */
function machineName(): string {
  return (
    hostname()
      .replace(/[^\w.-]/g, '-')
      .slice(0, NAME_LENGTH_MAX) || 'localhost'
  );
}

/** The first IPv4 address that others can reach, else loopback. */
function machineAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((own) => own ?? []);
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
}
