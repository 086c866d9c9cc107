import { isAttributes, type Attributes } from '../../../shared/domain/attributes.ts';
import { KEEPALIVE_CHECK, keepaliveStatus, type KeepaliveStatus } from '../../../shared/domain/keepalive.ts';
import { substituteTokens } from '../../../shared/domain/tokens.ts';
import { agentKeepaliveStatus } from '../../../shared/domain/v2/keepalive.ts';
import type { Client } from '../../../shared/schemas/client.ts';
import type { KeepaliveSettings } from '../../../shared/schemas/settings.ts';
import type { Definitions } from '../model/config/definitions.ts';
import type { ClientEntry } from '../model/registry/namespace.ts';
import type { IncomingResult } from '../results/process-result.ts';

/** Value of the attribute `scheduler` that Sensu Go sets in every keepalive result of a v2 agent. */
const V2_SCHEDULER = 'etcd';

/**
 * Returns the keepalive status and output of a client, derived from the age of its last keepalive.
 *
 * @param now epoch seconds
 */
export function keepaliveStateOf(
  entry: ClientEntry,
  now: number,
  settings: KeepaliveSettings & { readonly unmatched?: readonly string[] },
): Pick<KeepaliveStatus, 'status' | 'output'> & Partial<Pick<KeepaliveStatus, 'thresholds'>> {
  return entry.profile.hasOwnThresholds
    ? agentKeepaliveStatus(entry, now, settings.unmatched)
    : keepaliveStatus(entry, now, settings);
}

/**
 * Returns the keepalive result of a client, with a status derived from the age of its last keepalive.
 *
 * @param record client record whose attributes replace the tokens in the keepalive settings; undefined to leave the
 *   tokens as they are
 * @param now epoch seconds
 */
export function keepaliveResult(
  entry: ClientEntry,
  record: Client | undefined,
  definitions: Pick<Definitions, 'inNamespace' | 'keepalives'>,
  now: number,
): IncomingResult {
  const { name: client, keepalive, profile } = entry;
  const { keepalives: settings } = definitions;
  const attributes = { handler: handlerOf(entry, definitions), ...settings, ...keepalive };
  const { value, unmatched } =
    record === undefined ? { value: attributes, unmatched: [] } : substituteTokens(attributes, record);
  const taken = isAttributes(value) ? value : {};
  const statusFields = {
    ...keepaliveStateOf(entry, now, { ...settings, unmatched }),
    issued: now,
    executed: now,
    type: 'standard',
  };
  const check = {
    ...(profile.hasOwnThresholds ? toV2AgentAttributes(taken) : taken),
    ...statusFields,
    name: KEEPALIVE_CHECK,
  };
  return { client, reporter: client, check };
}

function handlerOf({ namespace, profile }: ClientEntry, definitions: Pick<Definitions, 'inNamespace'>): string {
  const { name } = namespace;
  if (definitions.inNamespace(name).hasHandler('keepalive')) return 'keepalive';
  // If neither `keepalive` nor `default` is defined, the result of a v2 agent still names `keepalive`.
  return profile.hasOwnThresholds && !definitions.inNamespace(name).hasHandler('default') ? 'keepalive' : 'default';
}

/** Converts keepalive attributes to the form of v2 agents, which use `timeout` and `ttl` instead of `thresholds`. */
function toV2AgentAttributes({ handler, thresholds: _others, ...attributes }: Attributes): Attributes {
  return { handlers: [handler], ...attributes, scheduler: V2_SCHEDULER };
}
