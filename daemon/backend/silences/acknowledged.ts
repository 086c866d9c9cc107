import { acknowledgementSilence, acknowledgementSilenceId } from '../../../shared/domain/acknowledgement-silence.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import type { SilencedEntry } from '../../../shared/schemas/silenced.ts';
import type { ConfigInForce } from '../config/config-in-force.ts';
import type { CheckEntry, Namespace } from '../model/registry/namespace.ts';
import { unexpiredEntry } from './commands.ts';

/** The setting `acknowledge-as-silence`, and the operation that removes an acknowledgement. */
export interface AcknowledgementDependencies {
  readonly config: Pick<ConfigInForce, 'program'>;
  readonly acknowledgements: {
    unacknowledge(
      namespace: string,
      name: { readonly client: string; readonly check: string },
      actor: Actor,
    ): Promise<void>;
  };
}

/** True if the v1 API and the v2 API show acknowledged events as silenced. */
export function showsAcknowledgementsAsSilences({ config }: Pick<AcknowledgementDependencies, 'config'>): boolean {
  return config.program['acknowledge-as-silence'];
}

/**
 * Returns the silences that stand for acknowledgements in the v1 API and the v2 API. An event that a silence with the
 * same id covers is left out. Without the setting `acknowledge-as-silence`, there are none.
 */
export function acknowledgementSilences(
  deps: Pick<AcknowledgementDependencies, 'config'>,
  namespace: Namespace,
  nowMs: number,
): SilencedEntry[] {
  if (!showsAcknowledgementsAsSilences(deps)) return [];
  return Array.from(namespace.acknowledged.all()).flatMap((entry) => {
    const silence = silenceOf(entry);
    return silence === undefined || unexpiredEntry(namespace, silence.id, nowMs) !== undefined ? [] : [silence];
  });
}

/** Returns the silence with this id that stands for an acknowledgement; undefined if there is none. */
export function acknowledgementSilenceById(
  deps: Pick<AcknowledgementDependencies, 'config'>,
  namespace: Namespace,
  id: string,
  nowMs: number,
): SilencedEntry | undefined {
  return acknowledgementSilences(deps, namespace, nowMs).find((silence) => silence.id === id);
}

/**
 * Removes the acknowledgement that a silence with this id stands for.
 *
 * @returns false if there is none, or a silence with this id is stored
 */
export async function unacknowledgeBySilence(
  deps: AcknowledgementDependencies,
  { namespace, id, nowMs }: { readonly namespace: Namespace; readonly id: string; readonly nowMs: number },
  actor: Actor,
): Promise<boolean> {
  if (acknowledgementSilenceById(deps, namespace, id, nowMs) === undefined) return false;
  const entry = Array.from(namespace.acknowledged.all()).find(
    ({ client, name: check }) => acknowledgementSilenceId({ client: client.name, check }) === id,
  );
  if (entry === undefined) return false;
  await deps.acknowledgements.unacknowledge(namespace.name, { client: entry.client.name, check: entry.name }, actor);
  return true;
}

function silenceOf({ client, name: check, state }: CheckEntry): SilencedEntry | undefined {
  const acknowledgement = state.event?.acknowledgement;
  return acknowledgement && acknowledgementSilence(acknowledgement, { client: client.name, check });
}
