import type { ApiClient } from '../../shared/client/api-client.ts';
import type { FeedRows } from '../../shared/schemas/feed.ts';
import type { PastChanges, PastState } from '../../shared/schemas/timeline.ts';
import { errorMessage } from '../../shared/errors.ts';
import type { EventRecord } from '../model/event-record.ts';
import type { PastMoment } from '../state/console-state.ts';
import type { Screen, StateAdjuster } from '../state/ports.ts';
import { rowsOfChanges, rowsOfPast } from './past-rows.ts';

/** The API methods that read past states. */
type PastApi = Pick<ApiClient, 'pastChanges' | 'pastState'>;

/** The parts of the store that are needed to show a past moment. */
interface PastStore extends StateAdjuster, Screen {
  readonly events: { readonly records: () => Iterable<Pick<EventRecord, 'key' | 'row'>> };
  readonly pastArrived: (past: PastMoment, rows: FeedRows) => void;
  readonly pastChanged: (past: PastMoment, rows: FeedRows) => void;
}

interface TravelDependencies {
  /** Returns the store whose data is shown now. */
  readonly store: () => PastStore;
  readonly api: () => Promise<PastApi>;
  /** Returns true if all namespaces are shown. */
  readonly areAllNamespacesShown: () => boolean;
  /**
   * Replaces the shown list by an empty one.
   *
   * @returns the store for the new list
   */
  readonly enter: () => PastStore;
  readonly paint: () => void;
}

/**
 * Shows past moments. For a step to an adjacent change, only the differences are loaded; they are requested in advance.
 * For any other moment, complete lists are loaded, and their first page is shown before the other pages arrive.
 */
export class Travel {
  readonly #dependencies: TravelDependencies;
  /** Number of the newest request. Responses to older requests are ignored. */
  #requestId = 0;
  #giveUp: (() => void) | undefined;
  /**
   * The differences between the shown moment and its adjacent changes, requested in advance, by the time of the change.
   */
  readonly #prefetchedChanges = new Map<number, Promise<PastChanges | undefined>>();
  /** The moment from which the last differences were requested in advance, in epoch milliseconds. */
  #shownMs: number | undefined;

  constructor(dependencies: TravelDependencies) {
    this.#dependencies = dependencies;
  }

  get isUnderWay(): boolean {
    return this.#giveUp !== undefined;
  }

  /**
   * Shows a past moment. Resolves when at least its first page is shown, or when the request was canceled.
   *
   * @throws MonError when the backend has no data of this moment, or does not respond
   */
  async travelTo(atMs: number): Promise<void> {
    this.stop();
    const requestId = this.#requestId;
    const cancellation = Promise.withResolvers<void>();
    this.#giveUp = cancellation.resolve;
    this.#dependencies.store().adjustState({ travel: { atMs } });
    this.#dependencies.paint();
    try {
      await Promise.race([this.#show(atMs, requestId), cancellation.promise]);
    } finally {
      if (requestId === this.#requestId) this.#endTravel();
    }
  }

  /** Cancels the current request because the user wants it; the shown data stays. */
  cancel(): void {
    this.stop();
    this.#endTravel();
    const store = this.#dependencies.store();
    store.say(store.state.past === undefined ? 'this is live data' : 'the step was canceled');
  }

  /** Cancels the current request without a message. */
  stop(): void {
    this.#requestId++;
    this.#giveUp?.();
  }

  #endTravel(): void {
    this.#giveUp = undefined;
    this.#dependencies.store().adjustState({ travel: undefined });
  }

  async #show(atMs: number, requestId: number): Promise<void> {
    const changes = await this.#changesTo(atMs);
    if (requestId !== this.#requestId) return;
    if (changes === undefined || changes.too_many_changes) return this.#reloadAndShow(atMs, requestId);
    const store = this.#dependencies.store();
    store.pastChanged(
      momentOf(changes),
      rowsOfChanges(changes, store.events.records(), this.#dependencies.areAllNamespacesShown()),
    );
    this.#prefetchChanges(requestId);
  }

  /**
   * Loads the differences between the shown moment and another one.
   *
   * @returns `undefined` if no past moment is shown completely, or if the request fails
   */
  async #changesTo(atMs: number): Promise<PastChanges | undefined> {
    const { past } = this.#dependencies.store().state;
    const ahead = this.#prefetchedChanges.get(atMs);
    this.#prefetchedChanges.clear();
    if (past === undefined || past.partial !== undefined) return undefined;
    return ahead ?? this.#requestChanges(past.atMs, atMs);
  }

  async #requestChanges(from: number, at: number): Promise<PastChanges | undefined> {
    try {
      return await (await this.#dependencies.api()).pastChanges({ from, at });
    } catch {
      // After any failure the complete lists are loaded, and that request reports the problem.
      return undefined;
    }
  }

  /** Requests the differences of the likely next steps in advance, first those of a step in the same direction. */
  #prefetchChanges(requestId: number): void {
    const { past } = this.#dependencies.store().state;
    if (past === undefined) return;
    const { atMs, previousMs, nextMs } = past;
    const isBack = this.#shownMs === undefined || atMs <= this.#shownMs;
    this.#shownMs = atMs;
    const [first, second] = isBack ? [previousMs, nextMs] : [nextMs, previousMs];
    const ask = (toMs: number | undefined): Promise<unknown> => {
      if (toMs === undefined || requestId !== this.#requestId) return Promise.resolve();
      const request = this.#requestChanges(atMs, toMs);
      this.#prefetchedChanges.set(toMs, request);
      return request;
    };
    void ask(first).then(() => ask(second));
  }

  async #reloadAndShow(atMs: number, requestId: number): Promise<void> {
    const { pagesOfPast } = await import('../../shared/client/past-lists.ts');
    const { past } = this.#dependencies.store().state;
    const isStep = past !== undefined && (atMs === past.previousMs || atMs === past.nextMs);
    const store = isStep ? this.#dependencies.store() : undefined;
    await this.#showPages(pagesOfPast(await this.#dependencies.api(), atMs), requestId, store);
  }

  /**
   * Loads the lists of a past moment page by page, and shows them.
   *
   * @param store the store that shows the moment as soon as all pages are loaded. If it is `undefined`, a new store
   *   shows the first page at once
   */
  async #showPages(
    pages: AsyncGenerator<PastState, void>,
    requestId: number,
    store: PastStore | undefined,
  ): Promise<void> {
    const { value: first } = await pages.next();
    if (requestId !== this.#requestId || first === undefined) return;
    const moment = momentOf(first);
    const isPlaced = this.#dependencies.areAllNamespacesShown();
    if (store !== undefined) {
      const events = [...first.events];
      const attributes = { ...first.attributes };
      for await (const page of pages) {
        if (requestId !== this.#requestId) return;
        events.push(...page.events);
        Object.assign(attributes, page.attributes);
      }
      store.pastArrived(moment, rowsOfPast({ ...first, events, attributes }, isPlaced));
      return this.#prefetchChanges(requestId);
    }
    const into = this.#dependencies.enter();
    const rows = first.events.length;
    const isComplete = rows >= first.total;
    into.pastArrived(
      isComplete ? moment : { ...moment, partial: { rows, total: first.total } },
      rowsOfPast(first, isPlaced),
    );
    if (isComplete) return this.#prefetchChanges(requestId);
    // The other pages are not awaited, so that the user can already act on the new list.
    void this.#showRemainingPages(pages, { requestId, moment, rows, total: first.total });
  }

  async #showRemainingPages(
    pages: AsyncGenerator<PastState, void>,
    { requestId, moment, rows: read, total }: { requestId: number; moment: PastMoment; rows: number; total: number },
  ): Promise<void> {
    let rows = read;
    const store = this.#dependencies.store();
    try {
      for await (const { events, attributes = {} } of pages) {
        if (requestId !== this.#requestId || store !== this.#dependencies.store()) return;
        rows += events.length;
        const { events: some } = rowsOfPast({ events, attributes }, this.#dependencies.areAllNamespacesShown());
        store.pastChanged({ ...moment, partial: { rows, total } }, { events: some ?? {} });
        this.#dependencies.paint();
      }
      store.pastChanged(moment, {});
      this.#prefetchChanges(requestId);
    } catch (error) {
      store.say(`part of the history could not be loaded: ${errorMessage(error)}`, 'problem');
    }
    this.#dependencies.paint();
  }
}

function momentOf({ at, previous, next }: Pick<PastState, 'at' | 'previous' | 'next'>): PastMoment {
  return { atMs: at, previousMs: previous ?? undefined, nextMs: next ?? undefined };
}
