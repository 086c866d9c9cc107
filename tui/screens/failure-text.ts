import { clockText } from './connection/connection-text.ts';
import { isLoadedView } from '../model/view-data.ts';
import type { ScreenView } from '../state/ports.ts';
import type { LiveData } from '../model/live-data.ts';

/**
 * Returns why the last request for the data of this view failed, and the age of the shown data; `undefined` if the
 * request succeeded.
 */
export function failureText({ state, loads }: ScreenView & Pick<LiveData, 'loads'>): string | undefined {
  if (!isLoadedView(state.view)) return undefined;
  const { failure, loadedAtMs } = loads.loadOf(state.view);
  if (failure === undefined) return undefined;
  return `${loadedAtMs === undefined ? 'not loaded' : `as of ${clockText(loadedAtMs)}`}: ${failure}`;
}
