import { hostname, networkInterfaces } from 'node:os';
import type { Settings } from '../../shared/domain/merge-settings.ts';
import { MonError } from '../../shared/errors.ts';
import { clientSchema, clientSubscription } from '../../shared/schemas/client.ts';
import { NAME_LENGTH_MAX } from '../../shared/schemas/name.ts';

/** What the command line says about this client; it wins over the definitions. */
export interface ClientFlags {
  readonly name?: string | undefined;
  readonly address?: string | undefined;
  readonly subscriptions?: readonly string[] | undefined;
}

/** The record without its time: name, address and subscriptions first, then everything else of the `client` section. */
export interface ClientIdentity {
  readonly name: string;
  readonly address: string;
  readonly subscriptions: readonly string[];
  readonly safe_mode?: boolean | null | undefined;
  readonly signature?: string | null | undefined;
  readonly [attribute: string]: unknown;
}

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

function given(flags: ClientFlags): Settings {
  return Object.fromEntries(Object.entries(flags).filter(([, value]) => value !== undefined));
}
