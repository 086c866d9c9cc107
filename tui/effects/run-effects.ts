import { namesOfEnded } from '../words/changes.ts';
import { errorMessage, MonError } from '../../shared/errors.ts';
import type { ApiClient } from '../../shared/client/api-client.ts';
import { undefinedIfNotFound } from '../../shared/client/undefined-if-not-found.ts';
import { leaderName } from '../../shared/domain/cluster.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import {
  changeOutcomes,
  changeReport,
  outcomeReport,
  refusedReport,
  type BulkChange,
  type ChangeOutcome,
  type ChangeReport,
} from '../words/changes.ts';
import { reportOutcome } from '../actions/outcome.ts';
import type { Effect, DeadLetterVerb, DeadLetterOrder, CheckRunRequest, AwaitedRun } from '../state/effects.ts';
import { isSameSubject, type InspectSubject } from '../state/layers/inspect.ts';
import { ENDED_RECORDS_MAX, ENDED_SHOWN_MS } from '../model/silence-history.ts';
import { undoOperations } from '../state/undo.ts';
import type { LoadedView } from '../model/view-data.ts';
import { LAYER_LOADERS, type LayerApi, type LayerLoaders } from './layer-loaders.ts';
import { loadEvent, type EventApi } from './load-event.ts';
import { loadSubject, type SubjectApi } from './subject-loaders.ts';
import { saveViewAndReport, switchBackend, type SettingsTools } from './settings-effects.ts';
import { runOwnCommand, type CommandTools } from './own-command-effects.ts';
import { runTerminalEffect, type TerminalTools } from './terminal-effects.ts';
import { runUpgradeEffect, type UpgradeApi } from './upgrade-effects.ts';
import { VIEW_LOADERS, type ViewApi, type ViewLoaders } from './view-loaders.ts';
import { type EventTarget, targetName, targetOf } from '../model/target.ts';
import { eventKey } from '../../shared/domain/event-key.ts';
import { KEEPALIVE_CHECK } from '../../shared/domain/keepalive.ts';
import { clientOfSubscription } from '../../shared/domain/subscription.ts';
import { formatDuration } from '../../shared/domain/duration.ts';
import { shownMinute } from '../words/shown-time.ts';
import { runsRequestedText } from '../words/run-text.ts';
import type { Screen, Frames, ConsoleHistory, SilenceDialogData } from '../state/ports.ts';
import type { ResponseState } from '../state/answers.ts';
import type { LiveData } from '../model/live-data.ts';
import type { LoadedLayerKind } from '../state/layers/loaded.ts';

/** Maximum number of concurrent requests of a change that needs one request for each object. */
const PARALLEL_MAX = 8;

/** The API methods that the console uses. */
export type ConsoleApi = ViewApi &
  SubjectApi &
  LayerApi &
  EventApi &
  Pick<
    ApiClient,
    | 'bulk'
    | 'createOverride'
    | 'client'
    | 'deleteClient'
    | 'deleteOverride'
    | 'deleteResult'
    | 'dropDeadLetter'
    | 'handOver'
    | 'namespaces'
    | 'requestCheck'
    | 'resolve'
    | 'retryDeadLetters'
    | 'silencePolicy'
    | 'silencePreview'
  >;

/** The objects and functions that effects, such as API requests, use. */
export interface EffectTools
  extends SettingsTools, Pick<TerminalTools, 'terminal'>, Pick<CommandTools, 'runInTerminal'> {
  readonly store: Screen &
    Frames &
    ResponseState &
    ConsoleHistory &
    Pick<SilenceDialogData, 'silenceRecent'> &
    Pick<LiveData, 'clients' | 'events' | 'loads' | 'plans' | 'silenced'>;
  readonly api: () => Promise<ConsoleApi>;
  /** Returns the API for screens about history, which also work while the past is shown. */
  readonly history: () => Promise<ConsoleApi>;
  readonly upgrades: () => Promise<UpgradeApi>;
  readonly feed: { reconnect(): void; resync(): void };
  /** Draws the whole screen again. */
  readonly repaint: () => void;
  /** Stops the console until the shell continues it; resolves to false if no shell could continue it. */
  readonly suspend: () => Promise<boolean>;
  readonly quit: () => void;
}

/** Runs an effect and reports the outcome to the store. It never throws, because the store can show every failure. */
export async function runEffect(effect: Effect, tools: EffectTools): Promise<void> {
  switch (effect.kind) {
    case 'change':
      return sendChange(effect.change, effect.undoes, tools);
    case 'delete-events':
      return deleteEvents(effect.targets, tools);
    case 'load-silence-policy':
      return loadSilencePolicy(tools);
    case 'load-silence-recent':
      return loadSilenceRecent(effect, tools);
    case 'load-ended-silences':
      return loadEndedSilences(tools);
    case 'load-event':
      return loadEvent(effect, tools.store, tools.api);
    case 'delete-clients':
      return deleteClients(effect.names, tools);
    case 'request-checks':
      return requestChecks(effect.orders, tools);
    case 'load-run-results':
      return loadRunResults(effect.runs, tools);
    case 'settle-letters':
      return settleDeadLetters(effect.verb, effect.deadLetters, tools);
    case 'hand-over':
      return handOverLeadership(effect, tools);
    case 'create-override':
    case 'delete-override':
      return changeOverrides(effect, tools);
    case 'load-layer':
      return loadLayer(effect.layer, effect.id, LAYER_LOADERS[effect.layer], tools);
    case 'load-subject':
      return loadOf(effect.subject, tools);
    case 'load-view':
      return loadView(effect.view, VIEW_LOADERS[effect.view], tools);
    case 'load-plan':
    case 'hold-plan':
    case 'order-plan':
    case 'new-plan':
      return runUpgradeEffect(effect, tools);
    case 'save-view':
      return saveViewAndReport(tools.store, effect.name, effect.view, tools);
    case 'switch-context':
      return switchBackend(tools.store, effect.name, tools.switchContext);
    case 'switch-namespace':
      return switchBackend(tools.store, effect.name, tools.switchNamespace);
    case 'travel':
      return travelToTime(effect.atMs, tools);
    case 'load-namespaces':
      return loadNamespaces(tools);
    case 'own-command':
      return runOwnCommand(effect.command, effect.target, tools);
    case 'ring':
    case 'copy':
    case 'copy-event':
    case 'load-runbook':
      return runTerminalEffect(effect, tools);
    case 'reconnect':
      return tools.feed.reconnect();
    case 'resync':
      return tools.feed.resync();
    case 'repaint':
      return tools.repaint();
    case 'suspend':
      return suspendConsole(tools);
    case 'quit':
      return tools.quit();
  }
}

async function suspendConsole({ suspend: stop, store }: EffectTools): Promise<void> {
  if (!(await stop())) store.say('cannot suspend: no shell is waiting to continue the console', 'problem');
}

async function travelToTime(atMs: number | undefined, tools: EffectTools): Promise<void> {
  try {
    await tools.travel(atMs);
  } catch (error) {
    tools.store.say(`cannot show the past: ${errorMessage(error)}`, 'problem');
  }
}

/** Sends a change as one request, reports the outcome, and stores the operations that would undo the change. */
async function sendChange(
  requestedChange: BulkChange,
  undoes: number | undefined,
  { store, api }: EffectTools,
): Promise<void> {
  // The names are taken before the request, because the feed removes a silence as soon as it has ended.
  const names = namesOfEnded(requestedChange.operations, store.silenced);
  try {
    const client = await api();
    const results = await client.bulk({
      operations: [...requestedChange.operations],
      creator: store.options.creator,
      ...(undoes !== undefined && { undo: true }),
    });
    const outcomes = changeOutcomes(requestedChange, results, names);
    const report = changeReport(requestedChange, outcomes, store.options.now());
    if (undoes !== undefined) store.ownChanges.forget(undoes);
    else if (results.some(({ ok }) => ok)) {
      store.ownChanges.remember(report.title, undoOperations(results), store.options.now());
    }
    reportOutcome(store, report);
  } catch (error) {
    reportOutcome(store, refusedReport(requestedChange, errorMessage(error), names));
  }
}

/**
 * Loads the recent problems that a new silence would have covered. If this fails, the dialog still shows the events
 * that the silence covers now.
 */
async function loadSilenceRecent(
  { entries, recurrence, key }: Effect & { readonly kind: 'load-silence-recent' },
  { store, api }: EffectTools,
): Promise<void> {
  try {
    const client = await api();
    const parts = entries.map(({ subscription, check, selector }) => ({ subscription, check, selector }));
    store.silenceRecent.answered(key, await client.silencePreview({ entries: parts, recurrence }));
    store.requestFrame('rows');
  } catch (error) {
    const { code, message } = error instanceof MonError ? error : { code: undefined, message: '' };
    if (code === 'unavailable') store.silenceRecent.failed(key, store.options.now());
    // Any other error is ignored, such as that of a backend that is too old for this request.
    if (code !== 'invalid' && code !== 'threshold') return;
    store.silenceRecent.refused(key, message);
    store.requestFrame('rows');
  }
}

async function deleteEvents(targets: readonly EventTarget[], { store, api }: EffectTools): Promise<void> {
  const outcomes = await runInParallel(targets, targetName, async ({ client, check }) => {
    const backend = await api();
    // An event that was already resolved needs no change.
    await undefinedIfNotFound(backend.resolve({ client, check }));
    await backend.deleteResult(client, check);
  });
  const report = outcomeReport({ done: 'deleted', noun: 'event' }, outcomes);
  reportIrrevocable(store, report, outcomes);
}

/**
 * Loads the names of the namespaces for completion. If this fails, no names are offered, but the user can type any
 * name.
 */
async function loadNamespaces({ store, api }: EffectTools): Promise<void> {
  try {
    store.namespacesLoaded((await (await api()).namespaces()).map(({ name }) => name));
  } catch {
    // The error is ignored: an unknown namespace is reported when the user switches to it.
  }
}

/**
 * Loads the policy for silences. If this fails, the previous policy stays in use; the backend enforces its policy
 * anyway.
 */
async function loadSilencePolicy({ store, api }: EffectTools): Promise<void> {
  try {
    store.silencePolicyLoaded(await (await api()).silencePolicy());
  } catch {
    // The error is ignored: a violation of the policy is reported when the form is submitted.
  }
}

/** Loads the silences that ended before this console started. If this fails, only these silences are missing. */
async function loadEndedSilences({ store, api }: EffectTools): Promise<void> {
  try {
    const since = store.options.now() - ENDED_SHOWN_MS;
    store.answers.endedSilencesLoaded(await (await api()).audit({ since, limit: ENDED_RECORDS_MAX }));
  } catch {
    // The error is ignored: a backend of an earlier version has no audit trail.
  }
}

async function deleteClients(names: readonly string[], { store, api }: EffectTools): Promise<void> {
  const outcomes = await runInParallel(names, safeLine, async (name) =>
    undefinedIfNotFound((await api()).deleteClient(name)),
  );
  const report = outcomeReport({ done: 'deleted', noun: 'client' }, outcomes);
  reportIrrevocable(store, report, outcomes);
}

/** Returns the check on each client that a request names; empty if it names other subscriptions. */
function targetsOf({ check, subscribers = [] }: CheckRunRequest): readonly EventTarget[] {
  const clients = subscribers.map(clientOfSubscription);
  return clients.flatMap((client) => (client === undefined ? [] : [targetOf(eventKey(client, check))]));
}

async function requestChecks(orders: readonly CheckRunRequest[], { store, api }: EffectTools): Promise<void> {
  const { creator } = store.options;
  const runs: AwaitedRun[] = [];
  const outcomes = await runInParallel(
    orders,
    ({ check }) => safeLine(check),
    async (order) => {
      const { issued } = await (await api()).requestCheck({ ...order, creator, reason: 'run now, from the console' });
      runs.push(...targetsOf(order).map((target) => ({ target, issued })));
    },
  );
  const report = outcomeReport({ done: 'requested', noun: 'check' }, outcomes);
  if (!report.isComplete || runs.length === 0) return reportOutcome(store, report);
  const gone = runs.flatMap(({ target }) => goneClient(store, target));
  const names = new Set(gone.map(({ client }) => client));
  // A client that is gone gives no result, so there is nothing to wait for.
  store.requestedRuns.follow(
    runs.filter(({ target }) => !names.has(target.client)),
    store.options.now(),
  );
  const targets = runs.map(({ target }) => target);
  store.say(runsRequestedText(targets, gone), gone.length === 0 ? 'done' : 'problem');
}

/** Returns the client of a requested run with its last keepalive if it has stopped sending keepalives. */
function goneClient(
  { events, clients, options }: EffectTools['store'],
  { client }: EventTarget,
): readonly { readonly client: string; readonly last: string }[] {
  if (events.get(eventKey(client, KEEPALIVE_CHECK)) === undefined) return [];
  const seconds = options.now() / 1000 - (clients.get(client)?.timestamp ?? NaN);
  const last = Number.isNaN(seconds) ? 'it sends no keepalives' : `last keepalive ${formatDuration(seconds, 1)} ago`;
  return [{ client, last }];
}

/** Loads the last results of requested runs. A failed request is repeated later. */
async function loadRunResults(runs: readonly AwaitedRun[], { store, api }: EffectTools): Promise<void> {
  const load = async (run: AwaitedRun): Promise<void> => {
    const result = await (await api()).result(run.target.client, run.target.check);
    if (result === undefined || Math.max(result.check.issued, result.check.executed) < run.issued) return;
    store.requestedRuns.recordOutcome(store, run, result.check);
  };
  await runInParallel(runs, ({ target }) => targetName(target), load);
}

async function settleDeadLetters(
  verb: DeadLetterVerb,
  deadLetters: readonly DeadLetterOrder[],
  tools: EffectTools,
): Promise<void> {
  const { store, api } = tools;
  const outcomes = await runInParallel(
    deadLetters,
    ({ name }) => name,
    async ({ id }) => {
      const backend = await api();
      // Dropping a dead letter that no longer exists counts as a success.
      await (verb === 'drop' ? backend.dropDeadLetter(id) : backend.retryDeadLetters({ id }));
    },
  );
  const report = outcomeReport({ done: verb === 'drop' ? 'dropped' : 'retried', noun: 'dead letter' }, outcomes);
  reportIrrevocable(store, report, outcomes);
  await loadView('dead-letters', VIEW_LOADERS['dead-letters'], tools);
}

async function handOverLeadership(
  { to, name }: Effect & { readonly kind: 'hand-over' },
  tools: EffectTools,
): Promise<void> {
  const { store, api } = tools;
  store.say(`handing over leadership to ${name} …`);
  const beganMs = store.options.now();
  try {
    const view = await (await api()).handOver(to);
    const seconds = Math.max(0, store.options.now() - beganMs) / 1000;
    store.say(`${safeLine(leaderName(view) ?? 'no member')} became the leader after ${seconds.toFixed(1)}s`, 'done');
  } catch (error) {
    store.say(`handover failed: ${safeLine(errorMessage(error))}`, 'problem');
  }
  await loadView('cluster', VIEW_LOADERS.cluster, tools);
}

async function changeOverrides(
  effect: Effect & { readonly kind: 'create-override' | 'delete-override' },
  tools: EffectTools,
): Promise<void> {
  const { store, api } = tools;
  const { schedule } = effect;
  try {
    const client = await api();
    if (effect.kind === 'create-override') {
      const { person, until } = await client.createOverride(schedule, { ...effect.override });
      store.say(safeLine(`${person} is on call for ${schedule} until ${shownMinute(until * 1000)}`), 'done');
    } else {
      await client.deleteOverride(schedule, effect.id);
      store.say(safeLine(`deleted the override of ${effect.person} for ${schedule}`), 'done');
    }
  } catch (error) {
    store.say(safeLine(`the schedule ${schedule} was not changed: ${errorMessage(error)}`), 'problem');
  }
  await loadView('on-call', VIEW_LOADERS['on-call'], tools);
  await loadLayer('schedule', schedule, LAYER_LOADERS.schedule, tools);
}

async function loadLayer<Kind extends LoadedLayerKind>(
  kind: Kind,
  id: string,
  load: LayerLoaders[Kind],
  { store, api, history }: EffectTools,
): Promise<void> {
  try {
    const isHistory = kind === 'timeline' || kind === 'timeline-search' || kind === 'incident' || kind === 'report';
    const client = await (isHistory ? history() : api());
    store.answers.layerLoaded(kind, id, await load(client, id, store.options.now()));
  } catch (error) {
    store.answers.layerFailed(kind, id, errorMessage(error));
  }
}

async function loadOf(subject: InspectSubject, { store, api }: EffectTools): Promise<void> {
  try {
    const layer = store.state.layers.find((one) => one.kind === 'inspect' && isSameSubject(one.subject, subject));
    const before = layer?.kind === 'inspect' ? layer.load.data : undefined;
    store.answers.subjectLoaded(subject, await loadSubject(await api(), subject, before, store.options.now()));
  } catch (error) {
    store.answers.subjectFailed(subject, errorMessage(error));
  }
}

async function loadView<View extends LoadedView>(
  view: View,
  load: ViewLoaders[View],
  { store, api }: EffectTools,
): Promise<void> {
  try {
    store.answers.viewLoaded(view, await load(await api(), store.loads.loadOf(view).data, store.options.now()));
  } catch (error) {
    store.answers.viewFailed(view, errorMessage(error));
  }
}

/**
 * Runs `act` for each item, several at a time, and returns the outcomes in the order of the items.
 *
 * @param named callback that returns the name of an item, safe for a terminal
 */
async function runInParallel<T>(
  items: readonly T[],
  named: (item: T) => string,
  act: (item: T) => Promise<unknown>,
): Promise<readonly ChangeOutcome[]> {
  const outcomes: ChangeOutcome[] = [];
  const waiting = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of waiting) {
      try {
        await act(item);
        outcomes[index] = { name: named(item), problem: undefined };
      } catch (error) {
        outcomes[index] = { name: named(item), problem: errorMessage(error) };
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_MAX }, worker));
  return outcomes;
}

/**
 * Reports a change that cannot be undone. If at least a part of it succeeded, it is recorded as a change by this user
 * without undo operations.
 */
function reportIrrevocable(
  store: EffectTools['store'],
  report: ChangeReport,
  outcomes: readonly ChangeOutcome[],
): void {
  if (outcomes.some(({ problem }) => problem === undefined)) {
    store.ownChanges.remember(report.title, [], store.options.now());
  }
  reportOutcome(store, report);
}
