import { isFollowedView, NOT_LOADED, type LoadedView, type ViewData, type ViewLoad } from './view-data.ts';

/** Reload interval of a visible view. */
const RELOAD_MS = 2000;

/** The data of the views that load theirs, with its load state. */
export class ViewLoads {
  readonly #loads = new Map<LoadedView, ViewLoad<unknown>>();
  #canFollow = true;

  of<View extends LoadedView>(view: View): ViewLoad<ViewData[View]> {
    // The cast is safe, because only `loaded` stores data here, under the view that it belongs to.
    return (this.#loads.get(view) ?? NOT_LOADED) as ViewLoad<ViewData[View]>;
  }

  /** Returns whether the feed sends the changes of a view, so that it needs no requests. */
  isFollowed(view: LoadedView): boolean {
    return this.#canFollow && isFollowedView(view);
  }

  /** Records that the backend's version does not send these topics. */
  cannotFollow(): void {
    this.#canFollow = false;
  }

  /** Returns whether a request is due. Requests never overlap. */
  isDue(view: LoadedView, nowMs: number): boolean {
    const { isLoading, requestedAtMs } = this.of(view);
    return !isLoading && nowMs - requestedAtMs >= RELOAD_MS;
  }

  recordRequest(view: LoadedView, nowMs: number): void {
    this.#loads.set(view, { ...this.of(view), isLoading: true, requestedAtMs: nowMs });
  }

  loaded<View extends LoadedView>(view: View, data: ViewData[View], nowMs: number): void {
    this.#loads.set(view, { ...this.of(view), data, loadedAtMs: nowMs, failure: undefined, isLoading: false });
  }

  /** Records a failure; the data of the last response stays. */
  failed(view: LoadedView, failure: string): void {
    this.#loads.set(view, { ...this.of(view), failure, isLoading: false });
  }
}
