import { errorMessage } from '../../shared/errors.ts';
import type { SavedView } from '../state/saved-view.ts';
import type { Screen } from '../state/ports.ts';

/** The functions that save views, and that switch to another context, namespace or past moment. */
export interface SettingsTools {
  /** Saves a view in the configuration file. If `view` is `undefined`, removes the saved view of this name. */
  readonly saveView: (name: string, view: SavedView | undefined) => Promise<void>;
  /** Shows the backend of another context, with a new store. */
  readonly switchContext: (name: string) => Promise<void>;
  /**
   * Shows another namespace of the backend, or all namespaces for `*`, with a new store.
   *
   * @throws MonError when there is no namespace of this name
   */
  readonly switchNamespace: (name: string) => Promise<void>;
  /**
   * Shows the lists as they were at a past moment, in epoch milliseconds; `undefined` returns to live data.
   *
   * @throws MonError when the backend has no data of that moment
   */
  readonly travel: (atMs: number | undefined) => Promise<void>;
}

export async function saveViewAndReport(
  store: Screen,
  name: string,
  view: SavedView | undefined,
  tools: SettingsTools,
): Promise<void> {
  const verb = view === undefined ? 'delete' : 'save';
  try {
    await tools.saveView(name, view);
    const savedViews = new Map(store.state.savedViews);
    if (view === undefined) savedViews.delete(name);
    else savedViews.set(name, view);
    store.update({ savedViews });
    store.say(view === undefined ? `view ${name} deleted` : `view ${name} saved: :view ${name} opens it`, 'done');
  } catch (error) {
    store.say(`could not ${verb} view ${name}: ${errorMessage(error)}`, 'problem');
  }
}

/** Shows another context or namespace, and reports a failure to the user. */
export async function switchBackend(store: Screen, name: string, show: (name: string) => Promise<void>): Promise<void> {
  try {
    await show(name);
  } catch (error) {
    store.say(`could not switch to ${name}: ${errorMessage(error)}`, 'problem');
  }
}
