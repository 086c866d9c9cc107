import { errorMessage } from '../../shared/errors.ts';
import type { SavedView } from '../state/saved-view.ts';
import type { Says, Screen } from '../state/ports.ts';

/** What a person has set up, outside of the store. */
export interface SettingsTools {
  /** Writes into the configuration file; `undefined` takes the view out. */
  readonly saveView: (name: string, view: SavedView | undefined) => Promise<void>;
  /** Shows another backend, in another store. */
  readonly switchContext: (name: string) => Promise<void>;
  /**
   * Shows another namespace of the backend, or `*`, in another store.
   *
   * @throws MonError when there is none of this name
   */
  readonly switchNamespace: (name: string) => Promise<void>;
  /**
   * Shows the lists as they were, epoch milliseconds, or as they are.
   *
   * @throws MonError when nothing is known of then
   */
  readonly travel: (atMs: number | undefined) => Promise<void>;
}

export async function saveView(
  store: Screen & Says,
  name: string,
  view: SavedView | undefined,
  tools: SettingsTools,
): Promise<void> {
  const done = view === undefined ? 'deleted' : 'saved';
  try {
    await tools.saveView(name, view);
    const savedViews = new Map(store.state.savedViews);
    if (view === undefined) savedViews.delete(name);
    else savedViews.set(name, view);
    store.update({ savedViews });
    store.say(view === undefined ? `view ${name} deleted` : `view ${name} saved: :view ${name} opens it`, 'done');
  } catch (error) {
    store.say(`view ${name} not ${done}: ${errorMessage(error)}`, 'problem');
  }
}

/** Shows another context, or another namespace. */
export async function switchTo(store: Says, name: string, show: (name: string) => Promise<void>): Promise<void> {
  try {
    await show(name);
  } catch (error) {
    store.say(`not switched to ${name}: ${errorMessage(error)}`, 'problem');
  }
}
