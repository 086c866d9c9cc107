import type { ApiClient } from '../../shared/client/api-client.ts';
import { WORST_FIRST } from '../../shared/domain/severity.ts';
import { CHECK_RESULTS_MAX, type Subject, type SubjectData, type SubjectKind } from '../state/layers/inspect.ts';
import { splitName } from '../model/backend-names.ts';
import { targetOf } from '../model/target.ts';

/** The API methods that load a client, check, aggregate or result for its screen. */
export type SubjectApi = Pick<
  ApiClient,
  'clientDetail' | 'check' | 'checkResults' | 'aggregate' | 'aggregateResults' | 'aggregateRules' | 'result'
>;

type Loader = (api: SubjectApi, name: string) => Promise<SubjectData | undefined>;

const LOADERS: Readonly<Record<SubjectKind, Loader>> = {
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
  aggregate: async (api, name) => {
    const [aggregate, rules] = await Promise.all([
      api.aggregate(name),
      // A backend of an earlier version has no aggregate rules.
      api.aggregateRules(name).catch(() => []),
    ]);
    const summary = aggregate && { ...aggregate, ...(rules.length > 0 && { rules }) };
    if (summary === undefined) return undefined;
    // Severities without results are not requested: the results of a healthy fleet have only one severity.
    const severities = WORST_FIRST.filter((severity) => summary.results[severity] > 0);
    const outputs = await Promise.all(
      severities.map(async (severity) => ({
        severity,
        results: (await api.aggregateResults(name, severity)) ?? [],
      })),
    );
    return { kind: 'aggregate', summary, outputs };
  },
  result: async (api, name) => {
    const { client, check } = targetOf(name);
    const result = await api.result(client, check);
    return result && { kind: 'result', result };
  },
};

/** Loads the data of a client, check, aggregate or result; `undefined` if the backend has no object of this name. */
export async function loadSubject(api: SubjectApi, { kind, name }: Subject): Promise<SubjectData | undefined> {
  return LOADERS[kind](api, name);
}
