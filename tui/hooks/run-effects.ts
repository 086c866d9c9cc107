import { errorMessage, MonError } from '../../shared/errors.ts';
import type { ApiClient } from '../../shared/client/api-client.ts';
import type { SubmittedSilenced } from '../../shared/schemas/silenced.ts';
import { silencedId } from '../../shared/domain/silencing.ts';
import type { ConsoleStore } from '../store/console-store.ts';
import type { Effect } from '../store/effects.ts';
import { countOf, nameOf, report } from '../store/event-actions.ts';
import type { Target } from '../store/silence-form.ts';
import type { LoadedView } from '../store/views/view-data.ts';
import { VIEW_LOADERS, type ViewApi } from './view-loaders.ts';

/** Requests under way at once when many events were marked. */
const PARALLEL_MAX = 8;

/** What the effects act on. */
export interface EffectTools {
  readonly store: ConsoleStore;
  readonly api: () => Promise<ViewApi & Pick<ApiClient, 'check' | 'event' | 'resolve' | 'silence' | 'clearSilenced'>>;
  readonly feed: { reconnect(): void; resync(): void };
  /** Draws every cell again. */
  readonly repaint: () => void;
  readonly quit: () => void;
}

/** Does what a key asked for and tells the store how it went. Never throws: an outcome is something to show. */
export async function runEffect(effect: Effect, tools: EffectTools): Promise<void> {
  const { store, api } = tools;
  switch (effect.kind) {
    case 'silence':
      return silence(effect.entries, tools);
    case 'resolve':
      return resolve(effect.targets, tools);
    case 'clear-silenced': {
      const outcomes = await inParallel(effect.ids, async (id) => (await api()).clearSilenced({ id }));
      return tell(store, outcomes, { done: 'ended', noun: 'silence', nameOf: (id) => id });
    }
    case 'load-event':
      return loadEvent(effect.target, effect.into, tools);
    case 'load-view':
      return loadView(effect.view, tools);
    case 'reconnect':
      return tools.feed.reconnect();
    case 'resync':
      return tools.feed.resync();
    case 'repaint':
      return tools.repaint();
    case 'quit':
      return tools.quit();
  }
}

async function silence(entries: readonly SubmittedSilenced[], { store, api }: EffectTools): Promise<void> {
  const outcomes = await inParallel(entries, async (entry) => (await api()).silence(entry));
  tell(store, outcomes, {
    done: 'made',
    noun: 'silence',
    nameOf: (entry) => silencedId(entry.subscription, entry.check),
  });
}

async function resolve(targets: readonly Target[], { store, api }: EffectTools): Promise<void> {
  const outcomes = await inParallel(targets, async (target) => {
    try {
      await (await api()).resolve({ client: target.client, check: target.check });
    } catch (error) {
      // Somebody or something else was quicker; what was wanted is so.
      if (!(error instanceof MonError && error.code === 'not_found')) throw error;
    }
  });
  tell(store, outcomes, { done: 'resolved', noun: 'event', nameOf });
}

async function loadEvent(target: Target, into: 'detail' | 'pane', { store, api }: EffectTools): Promise<void> {
  try {
    const client = await api();
    // The definition is an extra: without it there is still the event.
    const definition = into === 'detail' ? client.check(target.check).catch(() => undefined) : undefined;
    const event = await client.event(target.client, target.check);
    store.eventLoaded(target, into, event, (await definition)?.next_run ?? undefined);
  } catch (error) {
    store.eventFailed(target, into, errorMessage(error));
  }
}

async function loadView<View extends LoadedView>(view: View, { store, api }: EffectTools): Promise<void> {
  try {
    store.viewLoaded(view, await VIEW_LOADERS[view](await api(), store.loads.of(view).data));
  } catch (error) {
    store.viewFailed(view, errorMessage(error));
  }
}

interface Outcome<T> {
  readonly item: T;
  /** `undefined`: it went well. */
  readonly problem: string | undefined;
}

/** In the order of the items, whichever was ready first. */
async function inParallel<T>(items: readonly T[], act: (item: T) => Promise<unknown>): Promise<readonly Outcome<T>[]> {
  const outcomes: Outcome<T>[] = [];
  const waiting = items.entries();
  const worker = async (): Promise<void> => {
    for (const [index, item] of waiting) {
      try {
        await act(item);
        outcomes[index] = { item, problem: undefined };
      } catch (error) {
        outcomes[index] = { item, problem: errorMessage(error) };
      }
    }
  };
  await Promise.all(Array.from({ length: PARALLEL_MAX }, worker));
  return outcomes;
}

/** One line when all went well; otherwise exactly what went wrong and what did not. */
function tell<T>(
  store: ConsoleStore,
  outcomes: readonly Outcome<T>[],
  words: { readonly done: string; readonly noun: string; readonly nameOf: (item: T) => string },
): void {
  const failed = outcomes.filter(({ problem }) => problem !== undefined);
  const succeeded = outcomes.length - failed.length;
  const [only] = outcomes;
  if (failed.length === 0) {
    const name = outcomes.length === 1 && only !== undefined ? `: ${words.nameOf(only.item)}` : '';
    return store.say(`${countOf(succeeded, words.noun)} ${words.done}${name}`, 'done');
  }
  if (outcomes.length === 1 && only?.problem !== undefined) {
    return store.say(`${words.nameOf(only.item)} not ${words.done}: ${only.problem}`, 'problem');
  }
  const title = `${String(succeeded)} of ${countOf(outcomes.length, words.noun)} ${words.done}`;
  store.say(title, 'problem');
  const went = outcomes
    .filter(({ problem }) => problem === undefined)
    .map(({ item }) => `${words.done}: ${words.nameOf(item)}`);
  report(store, title, [
    ...failed.map(({ item, problem }) => `not ${words.done}: ${words.nameOf(item)}: ${problem ?? ''}`),
    ...went,
  ]);
}
