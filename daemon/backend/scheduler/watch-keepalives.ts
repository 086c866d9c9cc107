import { errorMessage } from '../../../shared/errors.ts';
import { isAttributes } from '../../../shared/domain/attributes.ts';
import { leavesBySilence } from '../../../shared/domain/core/agent.ts';
import { KEEPALIVE_CHECK, keepaliveOf, keepaliveStatus } from '../../../shared/domain/keepalive.ts';
import { substituteTokens } from '../../../shared/domain/tokens.ts';
import type { Client } from '../../../shared/schemas/client.ts';
import type { KeepaliveSettings } from '../../../shared/schemas/settings.ts';
import type { Log } from '../../log/log.ts';
import type { Definitions } from '../config/definitions.ts';
import type { Clients } from '../pipeline/clients.ts';
import type { IncomingResult } from '../pipeline/process-result.ts';
import type { Results } from '../pipeline/results.ts';
import type { Clock } from '../ports.ts';
import type { Namespace } from '../registry/namespace.ts';
import type { Registry } from '../registry/registry.ts';

/** How often the age of every client's last keepalive is looked at (completion 1.10). */
const SWEEP_MS = 30_000;
/** Clients whose results are written together, so that a large fleet does not fill the queue at once. */
const SLICE = 500;

interface KeepaliveParts {
  readonly registry: Registry;
  readonly results: Pick<Results, 'record'>;
  readonly clients: Pick<Clients, 'deregister'>;
  readonly definitions: Definitions;
  readonly clock: Clock;
  readonly log: Log;
}

/** Turns the age of keepalives into results, which become events like those of any check. */
export function watchKeepalives(parts: KeepaliveParts): Disposable {
  let isSweeping = false;
  return parts.clock.every(SWEEP_MS, () => {
    if (isSweeping || parts.registry.runbooks.isQuiet(parts.clock.now())) return;
    isSweeping = true;
    sweep(parts)
      // The next sweep looks again.
      .catch((error: unknown) => parts.log.warn({ reason: errorMessage(error) }, 'keepalives were not written'))
      .finally(() => {
        isSweeping = false;
      });
  });
}

async function sweep({ registry, results, clients, definitions, clock }: KeepaliveParts): Promise<void> {
  for (const namespace of registry.namespaces()) {
    const handler = definitions.in(namespace.name).hasHandler('keepalive') ? 'keepalive' : 'default';
    const names = namespace
      .sortedClients()
      .filter(sendsKeepalives)
      .map(({ name }) => name);
    for (let start = 0; start < names.length; start += SLICE) {
      const now = Math.floor(clock.now() / 1000);
      const slice = names.slice(start, start + SLICE);
      const departed = slice.filter((name) => hasDeparted(namespace, name, definitions.keepalives, now));
      await Promise.all(departed.map((name) => clients.deregister(namespace.name, name)));
      const incoming = slice.flatMap((name) =>
        resultsFor(namespace, name, { handler, ...definitions.keepalives }, now),
      );
      if (incoming.length > 0) await results.record(namespace.name, incoming);
    }
  }
}

function sendsKeepalives({ record }: { readonly record: Client }): boolean {
  return record.keepalives !== false;
}

/** Whether silence of this one means that it has left for good. */
function hasDeparted({ clients }: Namespace, name: string, settings: KeepaliveSettings, now: number): boolean {
  const client = clients.get(name)?.record;
  return client !== undefined && leavesBySilence(client) && keepaliveStatus(client, now, settings).status !== 0;
}

/** Asked again for each slice: a client may have been deleted while the slices before were written. */
function resultsFor(namespace: Namespace, name: string, settings: KeepaliveSettings, now: number): IncomingResult[] {
  const client = namespace.clients.get(name)?.record;
  if (client === undefined) return [];
  const { value, unmatched } = substituteTokens({ ...settings, ...keepaliveOf(client) }, client);
  const { status, output, thresholds } = keepaliveStatus(client, now, { ...settings, unmatched });
  const check = {
    ...(isAttributes(value) ? value : {}),
    thresholds,
    name: KEEPALIVE_CHECK,
    issued: now,
    executed: now,
    output,
    status,
    type: 'standard',
  };
  return [{ client: name, reporter: name, check }];
}
