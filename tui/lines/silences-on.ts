import type { ApiClient } from '../../shared/client/api-client.ts';
import type { SilencedDetail } from '../../shared/schemas/silenced.ts';
import { silenceName } from '../words/silence-text.ts';

/** Maximum number of silences of one event whose details are fetched. */
const SILENCES_MAX = 20;

export interface SilenceOn {
  /** Readable name of the silence, or its id without details; it may contain control characters. */
  readonly name: string;
  /** Details of the silence; absent if the silence has ended, or was beyond `SILENCES_MAX`. */
  readonly detail?: SilencedDetail | undefined;
}

/**
 * Fetches the names and details of the silences with these ids. The id of a silence with a selector is not readable, so
 * each silence gets a name.
 */
export async function silencesOn(
  api: Pick<ApiClient, 'silencedDetail'>,
  ids: readonly string[],
): Promise<readonly SilenceOn[]> {
  const details = await Promise.all(ids.slice(0, SILENCES_MAX).map((id) => api.silencedDetail(id)));
  return ids.map((id, index) => {
    const detail = details[index];
    return { name: detail === undefined ? id : silenceName(detail), detail };
  });
}
