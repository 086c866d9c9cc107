import type { ApiClient } from '../../shared/client/api-client.ts';
import { errorMessage, MonError } from '../../shared/errors.ts';
import type { AggregateResults } from '../../shared/schemas/aggregate.ts';
import type { CheckOfClient } from '../../shared/schemas/check-summary.ts';
import type { BulkOperation, BulkOutcome } from '../../shared/schemas/bulk.ts';
import { DEFAULT_NAMESPACE, EVERY_NAMESPACE } from '../../shared/schemas/namespace.ts';
import type { SilencedDetail } from '../../shared/schemas/silenced.ts';
import type { SilencePolicy } from '../../shared/schemas/silence-policy.ts';
import {
  addContextToName,
  addContextToParts,
  addContextToSilenceId,
  splitName,
  removeContext,
  splitSilencedId,
} from '../model/backend-names.ts';
import type { OutcomeWithReason } from '../words/changes.ts';
import { joinedReport } from './merged-report.ts';
import type { ConsoleApi } from './run-effects.ts';

/** The backends of the merged list. */
export interface MergedBackends {
  readonly open: Pick<ReadonlyMap<string, () => Promise<ApiClient>>, 'get' | 'has' | 'keys' | 'values'>;
  /** Returns true if the backend accepts changes now. */
  readonly isConnected: (context: string) => boolean;
}

/** An operation that one backend executes, with its index among all operations of the change. */
interface BackendOperation {
  readonly operation: BulkOperation;
  readonly index: number;
}

/**
 * Returns one API for several backends. Names contain their backend; a request for a name without a backend is
 * rejected. A change to several backends is only sent if all of them are connected.
 */
export function openMergedApi(backends: MergedBackends): ConsoleApi {
  const at = async (context: string | undefined): Promise<ApiClient> => {
    const open = context === undefined ? undefined : backends.open.get(context);
    if (open === undefined) throw new MonError('invalid', `${context ?? 'this'} is not one of the contexts`);
    return open();
  };
  const toChange = async (context: string | undefined): Promise<ApiClient> => {
    mustBeConnected(backends, context === undefined ? [] : [context]);
    return at(context);
  };
  return {
    ...SINGLE_BACKEND_METHODS,
    event: (client, check) => callBackendOf(at, client, (api, name) => api.event(name, check)),
    checkPast: ({ client, check }, span) =>
      callBackendOf(at, client, (api, name) => api.checkPast({ client: name, check }, span)),
    series: ({ client, check }) => callBackendOf(at, client, (api, name) => api.series({ client: name, check })),
    timeline: (query) =>
      query?.client === undefined
        ? rejectSeveralBackends()
        : callBackendOf(at, query.client, (api, client) => api.timeline({ ...query, client })),
    explainEvent: (client, check) => callBackendOf(at, client, (api, name) => api.explainEvent(name, check)),
    client: (client) => callBackendOf(at, client, (api, name) => api.client(name)),
    check: (check) => callBackendOf(at, check, (api, name) => api.check(name)),
    result: (client, check) => callBackendOf(at, client, (api, name) => api.result(name, check)),
    resolve: ({ client, check }) =>
      callBackendOf(toChange, client, (api, name) => api.resolve({ client: name, check })),
    deleteResult: (client, check) => callBackendOf(toChange, client, (api, name) => api.deleteResult(name, check)),
    async requestCheck(order) {
      const { name: check, context: contextName } = splitName(order.check);
      if (contextName !== undefined) return (await toChange(contextName)).requestCheck({ ...order, check });
      const subscribers = Map.groupBy(order.subscribers ?? [], (subscriber) => splitName(subscriber).context ?? '');
      mustBeConnected(backends, [...subscribers.keys()]);
      const parts = await Promise.allSettled(
        Array.from(subscribers, async ([context, names]) =>
          runWithBackendName(context, async () =>
            (await at(context)).requestCheck({ ...order, subscribers: names.map((name) => splitName(name).name) }),
          ),
        ),
      );
      const [first] = valuesOrThrow(parts);
      if (first === undefined) throw new MonError('invalid', 'no backend selected');
      return first;
    },
    async report(query) {
      const parts = await Promise.allSettled(
        Array.from(backends.open.keys(), async (backend) =>
          runWithBackendName(backend, async () => ({ backend, report: await (await at(backend)).report(query) })),
        ),
      );
      // If one backend fails, the whole report fails, because a partial report would look complete.
      const failed = parts.flatMap((part) => (part.status === 'rejected' ? [errorMessage(part.reason)] : []));
      if (failed.length > 0) throw new MonError('unavailable', failed.join('; '));
      const [first, ...others] = parts.flatMap((part) => (part.status === 'fulfilled' ? [part.value] : []));
      if (first === undefined) throw new MonError('unavailable', 'no context can be opened');
      return joinedReport([first, ...others]);
    },
    async silencePolicy() {
      const responses = await Promise.allSettled(
        Array.from(backends.open.values(), async (open) => (await open()).silencePolicy()),
      );
      return strictestPolicy(responses.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : [])));
    },
    async bulk(request) {
      const parts = Map.groupBy(request.operations.map(toBackendOperation), ({ context }) => context);
      mustBeConnected(backends, [...parts.keys()]);
      const answers = await Promise.allSettled(
        Array.from(parts, async ([context, operations]) =>
          runWithBackendName(context, async () => {
            const api = await at(context);
            const results = await api.bulk({ ...request, operations: operations.map(({ operation }) => operation) });
            return operations.map(({ index }, position) => ({
              index,
              outcome: addContextToOutcome(results[position], context),
            }));
          }),
        ),
      );
      // If an undo fails on one backend, the whole undo fails, so that it can be repeated. Another change fails only if
      // it failed on all backends.
      if (request.undo === true || answers.every(({ status }) => status === 'rejected')) valuesOrThrow(answers);
      return orderOutcomes(request.operations.length, [...parts.values()], answers);
    },
  };
}

/**
 * Splits the name of an object into the context and the name at its backend, and sends a request about the object to
 * that backend.
 */
async function callBackendOf<T>(
  open: (context: string | undefined) => Promise<ApiClient>,
  named: string,
  ask: (api: ApiClient, name: string, context: string) => Promise<T>,
): Promise<T> {
  const { name, context } = splitName(named);
  return ask(await open(context), name, context ?? '');
}

/**
 * Verifies that all given backends are connected.
 *
 * @throws MonError `unavailable` when one of them is not connected, so that nothing is sent to any of them; `invalid`
 *   when a name contains no known backend
 */
function mustBeConnected({ open, isConnected }: MergedBackends, contexts: readonly string[]): void {
  const unknown = contexts.find((context) => !open.has(context));
  if (unknown !== undefined || contexts.length === 0) {
    throw new MonError('invalid', 'the backend is ambiguous: select one with :ctx NAME');
  }
  const lost = contexts.filter((context) => !isConnected(context));
  if (lost.length > 0) {
    const verb = lost.length === 1 ? 'is' : 'are';
    throw new MonError('unavailable', `${lost.join(', ')} ${verb} not connected: nothing was sent`);
  }
}

function toBackendOperation(operation: BulkOperation, index: number): BackendOperation & { readonly context: string } {
  const { context, ...own } = ownOperation(operation);
  return { ...own, index, context: context ?? '' };
}

/** Returns the operation with the context removed from its names, and that context. */
function ownOperation(operation: BulkOperation): {
  readonly operation: BulkOperation;
  readonly context: string | undefined;
} {
  switch (operation.op) {
    case 'silence': {
      const { parts, context } = removeContext(operation);
      return { operation: parts, context };
    }
    case 'clear': {
      const { id, context } = splitSilencedId(operation.id);
      return { operation: { ...operation, id }, context };
    }
    case 'resolve':
    case 'acknowledge':
    case 'unacknowledge': {
      const { name, context } = splitName(operation.client);
      return { operation: { ...operation, client: name }, context };
    }
    case 'restore': {
      const { parts, context } = removeContext(operation.entry);
      return { operation: { ...operation, entry: parts }, context };
    }
  }
}

/** Adds the context of the backend to the names in the operation that undoes a change. */
function addContextToOutcome(outcome: BulkOutcome | undefined, context: string): BulkOutcome | undefined {
  return outcome?.undo === undefined ? outcome : { ...outcome, undo: addContextToOperation(outcome.undo, context) };
}

function addContextToOperation(operation: BulkOperation, context: string): BulkOperation {
  switch (operation.op) {
    case 'silence':
      return addContextToParts(operation, context);
    case 'clear':
      return { ...operation, id: addContextToSilenceId(operation.id, context) };
    case 'resolve':
    case 'acknowledge':
    case 'unacknowledge':
      return { ...operation, client: addContextToName(operation.client, context) };
    case 'restore':
      return { ...operation, entry: addContextToParts(operation.entry, context) };
  }
}

function orderOutcomes(
  count: number,
  parts: readonly (readonly BackendOperation[])[],
  answers: readonly PromiseSettledResult<
    readonly { readonly index: number; readonly outcome: BulkOutcome | undefined }[]
  >[],
): readonly BulkOutcome[] {
  const outcomes = Array.from({ length: count }, (): OutcomeWithReason => ({ ok: false }));
  for (const [position, answer] of answers.entries()) {
    if (answer.status === 'fulfilled') {
      for (const { index, outcome } of answer.value) if (outcome !== undefined) outcomes[index] = outcome;
      continue;
    }
    for (const { index } of parts[position] ?? [])
      outcomes[index] = { ok: false, problem: errorMessage(answer.reason) };
  }
  return outcomes;
}

/** Runs a request to a backend. If it fails, the name of the backend is added to the error. */
async function runWithBackendName<T>(context: string, act: () => Promise<T>): Promise<T> {
  try {
    return await act();
  } catch (error) {
    throw new MonError('unavailable', `${context}: ${errorMessage(error)}`, { cause: error });
  }
}

/**
 * Returns the values of all responses.
 *
 * @throws MonError with the errors of all failed requests, each of which names its backend
 */
function valuesOrThrow<T>(answers: readonly PromiseSettledResult<T>[]): readonly T[] {
  const failed = answers.flatMap((answer) => (answer.status === 'rejected' ? [errorMessage(answer.reason)] : []));
  if (failed.length > 0) {
    const suffix = failed.length < answers.length ? '; done on the other backends' : '';
    throw new MonError('unavailable', failed.join('; ') + suffix);
  }
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? [answer.value] : []));
}

/**
 * Returns a silence policy that satisfies the policies of all backends. If their reason patterns differ, it has none,
 * and each backend checks its own.
 */
function strictestPolicy(policies: readonly SilencePolicy[]): SilencePolicy {
  const [first, ...others] = policies;
  if (first === undefined) throw new MonError('unavailable', 'no backend sent its silence policy');
  const limits = policies.flatMap(({ max_expire: limit }) => (limit === null ? [] : [limit]));
  return {
    reason: policies.some(({ reason }) => reason === 'required') ? 'required' : 'optional',
    reason_pattern: others.every((other) => other.reason_pattern === first.reason_pattern)
      ? first.reason_pattern
      : null,
    max_expire: limits.length === 0 ? null : Math.min(...limits),
    warn_matches: Math.min(...policies.map(({ warn_matches: matches }) => matches)),
    apply_to_v1: policies.some(({ apply_to_v1: applies }) => applies),
  };
}

const rejectSeveralBackends = (): Promise<never> =>
  Promise.reject(new MonError('invalid', 'this action needs a single backend: select one with :ctx NAME'));

/** Returns the namespace of an object in a list of all namespaces; `default` if the object has none. */
function namespaceOf(element: object): string {
  return 'namespace' in element ? String(element.namespace) : DEFAULT_NAMESPACE;
}

function placedDetail(detail: SilencedDetail): SilencedDetail {
  const namespace = namespaceOf(detail);
  return { ...addContextToParts(detail, namespace), id: addContextToSilenceId(detail.id, namespace) };
}

function placedName<Named extends { readonly name: string }>(named: Named): Named {
  return { ...named, name: addContextToName(named.name, namespaceOf(named)) };
}

function addNamespaceToResult(result: CheckOfClient, namespace: string): CheckOfClient {
  return { ...result, client: addContextToName(result.client, namespace) };
}

type AggregateOutput = AggregateResults['summary'][number];

function addNamespaceToOutput(output: AggregateOutput, namespace: string): AggregateOutput {
  return { ...output, clients: output.clients.map((client) => addContextToName(client, namespace)) };
}

const rejectSeveralNamespaces = (): Promise<never> =>
  Promise.reject(new MonError('invalid', 'this action needs a single namespace: select one with :ns NAME'));

/**
 * Returns one API for all namespaces of a backend. Names contain their namespace; requests about the whole backend are
 * sent without a namespace.
 *
 * @param at callback that returns the API of a namespace; without an argument, that of the backend
 */
export function openApiOfNamespaces(
  at: (namespace?: string) => Promise<ApiClient>,
  isConnected: () => boolean,
): ConsoleApi {
  const merged = openMergedApi({
    open: {
      get: (namespace) => () => at(namespace),
      has: () => true,
      keys: () => [].values(),
      values: () => [() => at()].values(),
    },
    isConnected,
  });
  return {
    ...merged,
    silencePreview: rejectSeveralNamespaces,
    report: async (query) => (await at(EVERY_NAMESPACE)).report(query),
    aggregate: (aggregate, options) => callBackendOf(at, aggregate, (api, name) => api.aggregate(name, options)),
    aggregateResults: (aggregate, severity, options) =>
      callBackendOf(at, aggregate, async (api, name, namespace) => {
        const results = await api.aggregateResults(name, severity, options);
        return results?.map(({ check, summary }) => ({
          check,
          summary: summary.map((output) => addNamespaceToOutput(output, namespace)),
        }));
      }),
    availability: ({ aggregate = '', ...query }) =>
      callBackendOf(at, aggregate, (api, name) => api.availability({ ...query, aggregate: name })),
    aggregateRules: (aggregate) => callBackendOf(at, aggregate, (api, name) => api.aggregateRules(name)),
    aggregateSummaries: async (page) => (await (await at(EVERY_NAMESPACE)).aggregateSummaries(page)).map(placedName),
    checks: async (page) => (await (await at(EVERY_NAMESPACE)).checks(page)).map(placedName),
    checkResults: (check, page) =>
      callBackendOf(at, check, async (api, name, namespace) =>
        (await api.checkResults(name, page)).map((result) => addNamespaceToResult(result, namespace)),
      ),
    clientDetail: (named) =>
      callBackendOf(at, named, async (api, name) => {
        const detail = await api.clientDetail(name);
        return detail && { ...detail, client: { ...detail.client, name: named } };
      }),
    result: (client, check) => callBackendOf(at, client, (api, name) => api.result(name, check)),
    async silencedDetails(which) {
      const details = await (await at(EVERY_NAMESPACE)).silencedDetails(which);
      return details.map(placedDetail);
    },
    async silencedDetail(entry) {
      const { id, context } = splitSilencedId(entry);
      return (await at(context)).silencedDetail(id);
    },
    deleteClient: (client) => callBackendOf(at, client, (api, name) => api.deleteClient(name)),
    access: async () => (await at()).access(),
    audit: async (query) => (await at()).audit(query),
    cluster: async () => (await at()).cluster(),
    deadLetter: async (id) => (await at()).deadLetter(id),
    deadLetters: async (filter) => (await at()).deadLetters(filter),
    deepHealth: async () => (await at()).deepHealth(),
    dropDeadLetter: async (id) => (await at()).dropDeadLetter(id),
    handOver: async (to) => (await at()).handOver(to),
    handlerGroups: async () => (await at()).handlerGroups(),
    handlers: async () => (await at()).handlers(),
    inhibitions: async () => (await at()).inhibitions(),
    namespaces: async () => (await at()).namespaces(),
    async overview() {
      const overview = await (await at(EVERY_NAMESPACE)).overview();
      const noisiest = overview.noisiest.map((noisy) => ({
        ...noisy,
        check: addContextToName(noisy.check, namespaceOf(noisy)),
      }));
      return { ...overview, noisiest };
    },
    retryDeadLetters: async (which) => (await at()).retryDeadLetters(which),
    versions: async () => (await at()).versions(),
  };
}

/** The methods that do not work for several backends at once. */
const SINGLE_BACKEND_METHODS = {
  access: rejectSeveralBackends,
  aggregate: rejectSeveralBackends,
  aggregateResults: rejectSeveralBackends,
  aggregateRules: rejectSeveralBackends,
  aggregateSummaries: rejectSeveralBackends,
  audit: rejectSeveralBackends,
  availability: rejectSeveralBackends,
  checkResults: rejectSeveralBackends,
  checks: rejectSeveralBackends,
  clientDetail: rejectSeveralBackends,
  cluster: rejectSeveralBackends,
  createOverride: rejectSeveralBackends,
  deadLetter: rejectSeveralBackends,
  deadLetters: rejectSeveralBackends,
  deepHealth: rejectSeveralBackends,
  deleteClient: rejectSeveralBackends,
  deleteOverride: rejectSeveralBackends,
  dropDeadLetter: rejectSeveralBackends,
  handOver: rejectSeveralBackends,
  handlerGroups: rejectSeveralBackends,
  handlers: rejectSeveralBackends,
  inhibitions: rejectSeveralBackends,
  namespaces: rejectSeveralBackends,
  overview: rejectSeveralBackends,
  retryDeadLetters: rejectSeveralBackends,
  schedule: rejectSeveralBackends,
  schedules: rejectSeveralBackends,
  silencedDetail: rejectSeveralBackends,
  silencedDetails: rejectSeveralBackends,
  silencePreview: rejectSeveralBackends,
  versions: rejectSeveralBackends,
} satisfies Partial<ConsoleApi>;
