import { isFollowedView, NOT_LOADED, type LoadedView, type ViewData, type ViewLoad } from './view-data.ts';

/** How often a view that is looked at asks for its data again. */
const RELOAD_MS = 2000;

/** The data of the views that load theirs, and what is known about it. */
export class ViewLoads {
  readonly #loads = new Map<LoadedView, ViewLoad<unknown>>();
  #canFollow = true;

  of<View extends LoadedView>(view: View): ViewLoad<ViewData[View]> {
    // Only `loaded` puts data here, under the view that it belongs to.
    return (this.#loads.get(view) ?? NOT_LOADED) as ViewLoad<ViewData[View]>;
  }

  /** Whether the feed tells of a view, so that it is not asked for. */
  isFollowed(view: LoadedView): boolean {
    return this.#canFollow && isFollowedView(view);
  }

  /** The backend is of a version whose feed does not tell of them. */
  cannotFollow(): void {
    this.#canFollow = false;
  }

  /** Whether to ask now: never twice at the same time. */
  isDue(view: LoadedView, nowMs: number): boolean {
    const { isLoading, askedAtMs } = this.of(view);
    return !isLoading && nowMs - askedAtMs >= RELOAD_MS;
  }

  asked(view: LoadedView, nowMs: number): void {
    this.#loads.set(view, { ...this.of(view), isLoading: true, askedAtMs: nowMs });
  }

  loaded<View extends LoadedView>(view: View, data: ViewData[View], nowMs: number): void {
    this.#loads.set(view, { ...this.of(view), data, loadedAtMs: nowMs, failure: undefined, isLoading: false });
  }

  /** What was loaded before stays. */
  failed(view: LoadedView, failure: string): void {
    this.#loads.set(view, { ...this.of(view), failure, isLoading: false });
  }
}
