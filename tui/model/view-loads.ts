import { isFollowedView, NOT_LOADED, type LoadedView, type ViewData, type ViewLoad } from './view-data.ts';

/** Milliseconds after which the data of a visible view is requested again. */
const RELOAD_MS = 2000;

/** The data that views load by request, and the state of their requests. */
export class ViewLoads {
  readonly #loads = new Map<LoadedView, ViewLoad<unknown>>();
  #canFollow = true;

  loadOf<View extends LoadedView>(view: View): ViewLoad<ViewData[View]> {
    // The cast is safe, because only `loaded` stores data here, under the view that it belongs to.
    return (this.#loads.get(view) ?? NOT_LOADED) as ViewLoad<ViewData[View]>;
  }

  /** Returns whether the feed sends the rows of a view, so that the view needs no requests. */
  isFollowed(view: LoadedView): boolean {
    return this.#canFollow && isFollowedView(view);
  }

  /** Records that the backend is too old to send the rows of views in a feed, so that views must request their data. */
  cannotFollow(): void {
    this.#canFollow = false;
  }

  /** Returns whether the next request of a view is due. Requests of a view never overlap. */
  isDue(view: LoadedView, nowMs: number): boolean {
    const { isLoading, requestedAtMs } = this.loadOf(view);
    return !isLoading && nowMs - requestedAtMs >= RELOAD_MS;
  }

  recordRequest(view: LoadedView, nowMs: number): void {
    this.#loads.set(view, { ...this.loadOf(view), isLoading: true, requestedAtMs: nowMs });
  }

  loaded<View extends LoadedView>(view: View, data: ViewData[View], nowMs: number): void {
    this.#loads.set(view, { ...this.loadOf(view), data, loadedAtMs: nowMs, failure: undefined, isLoading: false });
  }

  /** Records that a request for the data of a view failed; the data of the last successful response stays. */
  failed(view: LoadedView, failure: string): void {
    this.#loads.set(view, { ...this.loadOf(view), failure, isLoading: false });
  }
}
