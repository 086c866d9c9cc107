import type { DefinedCheck } from '../../../shared/client/answers.ts';

/** What views load, each by the name of its view. Arrays for tables; anything for pages. */
export interface ViewData {
  readonly checks: readonly DefinedCheck[];
}

export type LoadedView = keyof ViewData;

/** What is known of a view's data. */
export interface ViewLoad<Data> {
  /** The newest answer; it stays when a later request fails. */
  readonly data: Data | undefined;
  /** Epoch milliseconds of that answer. */
  readonly loadedAtMs: number | undefined;
  /** Why the last request brought nothing. */
  readonly failure: string | undefined;
  readonly isLoading: boolean;
  /** Epoch milliseconds of the last request. */
  readonly askedAtMs: number;
}

export const NOT_LOADED: ViewLoad<never> = {
  data: undefined,
  loadedAtMs: undefined,
  failure: undefined,
  isLoading: false,
  askedAtMs: -Infinity,
};

const LOADED: Readonly<Record<LoadedView, true>> = { checks: true };

export function isLoadedView(view: string): view is LoadedView {
  return Object.hasOwn(LOADED, view);
}
