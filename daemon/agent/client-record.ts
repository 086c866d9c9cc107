import { arch, hostname, networkInterfaces, platform } from 'node:os';
import type { Attributes } from '../../shared/domain/attributes.ts';
import { tokenEntityOf } from '../../shared/domain/v2/tokens.ts';
import { withoutUndefined } from '../../shared/domain/without-undefined.ts';
import { isSettings, type Settings } from '../../shared/domain/merge-settings.ts';
import { redact, redactKeysOf } from '../../shared/domain/redact.ts';
import { MonError } from '../../shared/errors.ts';
import { clientSubscription } from '../../shared/domain/subscription.ts';
import type { SpoolTrouble } from '../../shared/schemas/agent.ts';
import { clientSchema, type Client, type SubmittedClient } from '../../shared/schemas/client.ts';
import { NAME_LENGTH_MAX } from '../../shared/schemas/name.ts';
import { VERSION } from '../../shared/schemas/version.ts';

/** Attributes of this client from the command line; they override the `client` section of the configuration. */
export interface ClientFlags {
  readonly name?: string | undefined;
  readonly address?: string | undefined;
  readonly subscriptions?: readonly string[] | undefined;
}

/**
 * The client record without its timestamp and version: name, address and subscriptions, then the other attributes of
 * the `client` section.
 */
export type ClientIdentity = SubmittedClient & { readonly subscriptions: string[] };

/**
 * Returns the identity of this client (completion 1.10). Flags override the `client` section, which overrides the host
 * name and the address of the machine. The subscription `client:<name>` is always the last one.
 *
 * @throws MonError `invalid` that names every invalid attribute
 */
export function clientIdentity(flags: ClientFlags, section: Settings): ClientIdentity {
  const named = { name: machineName(), address: machineAddress(), ...section, ...withoutUndefined(flags) };
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
 * Returns the keys whose values are redacted in all data about this client that leaves the agent. The client's own
 * `redact` list replaces the default list.
 */
export function secretKeys(identity: ClientIdentity): ReadonlySet<string> {
  return redactKeysOf({ ...identity, timestamp: 0, version: VERSION });
}

/**
 * Returns the client record that the backend receives. The values of secret attributes are replaced, because only
 * commands on this machine need them (completion 1.10). Attributes that the backend requires are unchanged, even if
 * `redact` names them.
 *
 * @param now the current time in epoch seconds
 * @param trouble the problem of the spool; undefined while the spool can be written
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
 * Returns this client as a v2 entity for the substitution of tokens, secrets included. `system` contains values of this
 * machine, which the `client` section overrides. The CPU architecture has its Go name, such as `amd64`, as in Sensu Go.
 */
export function machineEntity(namespace: string, identity: ClientIdentity): Attributes {
  const machine = { hostname: hostname(), os: platform(), arch: arch() === 'x64' ? 'amd64' : arch() };
  const system = isSettings(identity['system']) ? identity['system'] : {};
  return tokenEntityOf(namespace, { ...identity, system: { ...machine, ...system }, timestamp: 0, version: VERSION });
}

/** Returns the host name as a client name: hyphens replace invalid characters, and the length is limited. */
function machineName(): string {
  return (
    hostname()
      .replace(/[^\w.-]/g, '-')
      .slice(0, NAME_LENGTH_MAX) || 'localhost'
  );
}

/** Returns the first IPv4 address of this machine that is not a loopback address; `127.0.0.1` if there is none. */
function machineAddress(): string {
  const addresses = Object.values(networkInterfaces()).flatMap((own) => own ?? []);
  return addresses.find(({ family, internal }) => family === 'IPv4' && !internal)?.address ?? '127.0.0.1';
}
