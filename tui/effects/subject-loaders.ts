import type { ApiClient } from '../../shared/client/api-client.ts';
import { SEVERITIES_WORST_FIRST } from '../../shared/domain/severity.ts';
import {
  CHECK_RESULTS_MAX,
  type AggregateHistory,
  type InspectSubject,
  type SubjectData,
  type SubjectKind,
} from '../state/layers/inspect.ts';
import { splitName } from '../model/backend-names.ts';
import { targetOf } from '../model/target.ts';

/** The API methods that load a client, check, aggregate or result for its screen. */
export type SubjectApi = Pick<
  ApiClient,
  | 'availability'
  | 'clientDetail'
  | 'check'
  | 'checkResults'
  | 'aggregate'
  | 'aggregateResults'
  | 'aggregateRules'
  | 'result'
>;

type SubjectLoader = (
  api: SubjectApi,
  name: string,
  before: SubjectData | undefined,
  nowMs: number,
) => Promise<SubjectData | undefined>;

const DAY_MS = 86_400_000;

/** Interval at which the history of an aggregate is loaded, in milliseconds: it reads the history of each member. */
const HISTORY_RELOAD_MS = 60_000;

async function aggregateHistory(
  api: SubjectApi,
  name: string,
  before: SubjectData | undefined,
  nowMs: number,
): Promise<AggregateHistory | undefined> {
  const previous = before?.kind === 'aggregate' ? before.history : undefined;
  if (previous !== undefined && nowMs - previous.loadedAtMs < HISTORY_RELOAD_MS) return previous;
  // A backend without a timeline still shows the current results.
  const report = await api.availability({ aggregate: name, since: nowMs - DAY_MS, limit: 1 }).catch(() => undefined);
  return report === undefined ? previous : { report, loadedAtMs: nowMs };
}

const SUBJECT_LOADERS: Readonly<Record<SubjectKind, SubjectLoader>> = {
  client: async (api, name) => {
    const detail = await api.clientDetail(name);
    return detail && { kind: 'client', detail };
  },
  check: async (api, name) => {
    const [definition, results] = await Promise.all([
      api.check(name),
      api.checkResults(name, { limit: CHECK_RESULTS_MAX }),
    ]);
    return definition === undefined && results.length === 0
      ? undefined
      : { kind: 'check', name: splitName(name).name, definition, results };
  },
  aggregate: async (api, name, before, nowMs) => {
    const [aggregate, rules, history] = await Promise.all([
      api.aggregate(name),
      // A backend of an earlier version has no aggregate rules.
      api.aggregateRules(name).catch(() => []),
      aggregateHistory(api, name, before, nowMs),
    ]);
    const summary = aggregate && { ...aggregate, ...(rules.length > 0 && { rules }) };
    if (summary === undefined) return undefined;
    // Severities without results are not requested: the results of a healthy fleet have only one severity.
    const severities = SEVERITIES_WORST_FIRST.filter((severity) => summary.results[severity] > 0);
    const outputs = await Promise.all(
      severities.map(async (severity) => ({
        severity,
        results: (await api.aggregateResults(name, severity)) ?? [],
      })),
    );
    return { kind: 'aggregate', summary, outputs, history };
  },
  result: async (api, name) => {
    const { client, check } = targetOf(name);
    const result = await api.result(client, check);
    return result && { kind: 'result', result };
  },
};

/**
 * Loads the data of a client, check, aggregate or result; `undefined` if the backend has no object of this name.
 *
 * @param before the data that was loaded before; data that is recent enough is taken over from it
 */
export async function loadSubject(
  api: SubjectApi,
  { kind, name }: InspectSubject,
  before: SubjectData | undefined,
  nowMs: number,
): Promise<SubjectData | undefined> {
  return SUBJECT_LOADERS[kind](api, name, before, nowMs);
}
