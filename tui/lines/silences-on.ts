import type { ApiClient } from '../../shared/client/api-client.ts';
import { isSelectorId } from '../../shared/domain/silencing.ts';
import type { BulkOperation } from '../../shared/schemas/bulk.ts';
import type { SilenceNames } from '../words/changes.ts';
import type { SilencedDetail } from '../../shared/schemas/silenced.ts';
import { targetText, targetTextOfId } from '../../shared/domain/silence-name.ts';

/** Maximum number of silences of one event whose details are fetched. */
const SILENCES_MAX = 20;

/** Returns the names of the silences by search that these operations end. The id of such a silence is a hash. */
export async function namesOfEndedSearches(
  api: Pick<ApiClient, 'silencedDetail'>,
  operations: readonly BulkOperation[],
): Promise<SilenceNames> {
  const ids = operations.flatMap((operation) =>
    operation.op === 'clear' && isSelectorId(operation.id) ? [operation.id] : [],
  );
  const silences = await silencesOn(api, ids);
  return new Map(ids.map((id, index) => [id, silences[index]?.name ?? id]));
}

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
    return { name: detail === undefined ? targetTextOfId(id) : targetText(detail), detail };
  });
}
