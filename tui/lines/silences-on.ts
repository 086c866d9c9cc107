import type { ApiClient } from '../../shared/client/api-client.ts';
import type { SilencedDetail } from '../../shared/schemas/silenced.ts';
import { silenceName } from '../words/silence-text.ts';

/** Silences on one event that are looked up. */
const SILENCES_MAX = 20;

export interface SilenceOn {
  /** What it is called; not yet safe for a terminal. */
  readonly name: string;
  /** Unless it is over, or one too many. */
  readonly detail?: SilencedDetail | undefined;
}

/** The silences of these ids: the id of one by search says nothing to people. */
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
