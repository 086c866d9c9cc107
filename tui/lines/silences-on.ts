import type { ApiClient } from '../../shared/client/api-client.ts';
import type { SilencedDetail } from '../../shared/schemas/silenced.ts';
import { silenceName } from '../words/silence-text.ts';

/** Maximum number of silences on one event that are looked up. */
const SILENCES_MAX = 20;

export interface SilenceOn {
  /** The name of the silence; not yet safe for a terminal. */
  readonly name: string;
  /** Absent if the silence has ended, or exceeds the maximum. */
  readonly detail?: SilencedDetail | undefined;
}

/** Returns the silences of these ids with names, because the id of a silence by search is not readable. */
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
