import { toSearchableResult, RESULT_SEARCH } from '../../../shared/domain/list-searches.ts';
import { MonError } from '../../../shared/errors.ts';
import { BATCH_MAX, type BatchResponse, type SubmittedResult } from '../../../shared/schemas/result.ts';
import { validateSubmitted } from './validate-result.ts';
import { readResults, readResultTexts, resultListing } from './queries.ts';
import { readSeries } from './series.ts';
import { pathName } from '../http/path-name.ts';
import { parseBody, validateParsedBody, type ParsedBody } from '../http/json-body.ts';
import { TimeSlice } from '../store/time-slice.ts';
import { sendList } from '../http/list.ts';
import { requestedNamespace, requestedNamespaces } from '../namespaces/request-namespaces.ts';
import { resultHandlers, type ResultDependencies } from './members.ts';
import type { MonHandlers } from '../http/route.ts';
import type { CheckEntry } from '../model/registry/namespace.ts';
import { searchFilter } from '../http/search.ts';

const NO_REFUSALS: ReadonlyMap<number, MonError> = new Map();

/**
 * Serves the routes of the mon API for results: a list with an optional search (`?q=`), single results, and batches of
 * results from scripts. The valid results of a batch are stored together. The response lists rejected results by their
 * index.
 */
export function resultsOnMon(
  deps: ResultDependencies,
): MonHandlers<'results' | 'submitResults' | 'result' | 'deleteResult' | 'series'> {
  const { clock, results, store } = deps;
  const readTexts = (some: readonly CheckEntry[]): Promise<string[]> => readResultTexts(store, some);
  return {
    results: (request, reply, query) => {
      const where = searchFilter(RESULT_SEARCH, query, toSearchableResult, clock.now());
      const { namespaces, withNamespaceName: placed, isOfMany } = requestedNamespaces(request, deps);
      const entries = resultListing(namespaces);
      return sendList(request, reply, entries, (some) => readResults(store, some, placed), {
        where,
        ...(isOfMany ? {} : { readTexts }),
      });
    },
    submitResults: async (request): Promise<BatchResponse> => {
      const { name } = requestedNamespace(request, deps);
      const { valid, indexes, rejected } = await validateBatch(parseBody(request));
      const refused = valid.length > 0 ? await results.submit(name, valid, request.admission) : NO_REFUSALS;
      for (const [at, error] of refused) rejected.push({ index: indexes[at] ?? 0, error: error.message });
      return { accepted: valid.length - refused.size, rejected };
    },
    ...resultHandlers(deps, requestedNamespace),
    series: (request) => {
      const client = pathName(request, 'client');
      const check = pathName(request, 'check');
      const entry = requestedNamespace(request, deps).check(client, check);
      if (entry?.status === undefined) throw new MonError('not_found', `there is no result of ${client}/${check}`);
      return readSeries(store, entry, deps.registry, clock.now());
    },
  };
}

interface ValidatedBatch {
  readonly valid: SubmittedResult[];
  /** The indexes of the valid results in the request body, in the order of `valid`. */
  readonly indexes: readonly number[];
  readonly rejected: BatchResponse['rejected'][number][];
}

async function validateBatch({ value, strict }: ParsedBody): Promise<ValidatedBatch> {
  if (!Array.isArray(value)) throw new MonError('invalid', 'the body must be an array of results');
  if (value.length > BATCH_MAX) {
    throw new MonError('invalid', `${String(value.length)} results are too many: send at most ${String(BATCH_MAX)}`);
  }
  const items: readonly unknown[] = value;
  const strictItems = strict as readonly unknown[] | undefined;
  const valid: SubmittedResult[] = [];
  const indexes: number[] = [];
  const rejected: { index: number; error: string }[] = [];
  const timeSlice = new TimeSlice();
  for (const [index, item] of items.entries()) {
    await timeSlice.share();
    try {
      valid.push(validateParsedBody({ value: item, strict: strictItems?.[index] }, validateSubmitted));
      indexes.push(index);
    } catch (error) {
      if (!(error instanceof MonError)) throw error;
      rejected.push({ index, error: error.message });
    }
  }
  return { valid, indexes, rejected };
}
