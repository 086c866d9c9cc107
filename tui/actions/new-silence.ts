import { targetId } from '../../shared/domain/silencing.ts';
import { clientSubscription } from '../../shared/domain/subscription.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { SilencedRow } from '../../shared/schemas/feed.ts';
import { openMenu } from '../form/menu.ts';
import type { Action } from '../keys/action.ts';
import type { ActionPorts } from '../keys/action-ports.ts';
import { LIST_CONTEXTS } from '../keys/context-groups.ts';
import type { LiveData } from '../model/live-data.ts';
import { openSilenceForm, applyDraft } from '../screens/silences/form.ts';
import { openLayer } from '../state/layer-stack.ts';
import type { MenuItem } from '../state/layers/menu.ts';
import type { Screen, ScreenView, SilenceDialogData } from '../state/ports.ts';
import { countOf } from '../words/changes.ts';
import { targetText } from '../../shared/domain/silence-name.ts';
import { openSilenceEntries } from './silences.ts';

/** The subscription, the check, or both, that a new silence covers. */
interface NewTarget {
  readonly subscription?: string;
  readonly check?: string;
}

/**
 * Opens the silence dialog for targets, which need not have an event. Targets that are already silenced are left out.
 * If all targets are silenced, the dialog changes their silences instead.
 *
 * @param noun the noun for a target in messages, such as `client`
 */
export function silenceTargets(
  store: Screen & Pick<SilenceDialogData, 'silenceDraft'> & Pick<LiveData, 'silenced'>,
  targets: readonly NewTarget[],
  noun: string,
): void {
  if (targets.length === 0) return store.say(`there is no ${noun} to silence`);
  const existing = targets.flatMap((target) => store.silenced.get(targetId(target)) ?? []);
  if (existing.length === targets.length) {
    openSilenceEntries(store, { kind: 'change', entries: existing });
    return store.say('already silenced: the dialog changes the existing silence');
  }
  const others = targets.filter((target) => !store.silenced.has(targetId(target)));
  openSilenceEntries(store, { kind: 'new', entries: others.map((target) => newEntry(store, target)) });
  if (existing.length > 0) store.say(`${countOf(existing.length, noun)} already silenced: unchanged`);
}

function newEntry({ options }: ScreenView, target: NewTarget): SilencedRow {
  return {
    id: targetId(target),
    subscription: target.subscription ?? null,
    check: target.check ?? null,
    reason: null,
    creator: options.creator,
    begin: null,
    expire_on_resolve: false,
    timestamp: Math.floor(options.now() / 1000),
    expire_at: null,
  };
}

/**
 * Opens the menu to choose the client, subscription, check or search for a new silence. The choices need not have an
 * event.
 */
function openNewSilence(store: ActionPorts): void {
  const clients = Array.from(store.clients.keys(), (name) =>
    targetItem(store, { subscription: clientSubscription(name) }),
  );
  // In a merged list, the names of subscriptions and checks do not say to which backend or namespace they belong.
  const isMerged = store.whereColumn !== undefined;
  const subscriptions = isMerged ? [] : subscriptionItems(store);
  const openChecks = new Set(isMerged ? [] : Array.from(store.events.records(), ({ row }) => row.check));
  const search: MenuItem = {
    id: 'search',
    label: 'everything matching a search, now and later',
    choose: () => {
      openLayer(store, { kind: 'silence', form: applyDraft(openSilenceForm([], []), store.silenceDraft) });
      store.request({ kind: 'load-silence-policy' });
    },
  };
  const checkItem = (check: string): MenuItem => targetItem(store, { check });
  const withoutLoadedChecks = [search, ...subscriptions, ...[...openChecks].toSorted().map(checkItem), ...clients];
  let loaded: unknown;
  let all: readonly MenuItem[] = isMerged ? clients : withoutLoadedChecks;
  // Checks without an event follow when they are loaded: at the end, so that no item moves under the cursor.
  const items = (): readonly MenuItem[] => {
    const { data } = store.loads.loadOf('checks');
    if (isMerged || data === loaded || data === undefined) return all;
    loaded = data;
    const others = data.map(({ name }) => name).filter((name) => !openChecks.has(name));
    all = [...withoutLoadedChecks, ...others.toSorted().map(checkItem)];
    return all;
  };
  openMenu(store, { title: 'New silence: type to search for what it covers', items });
  const { data, isLoading } = store.loads.loadOf('checks');
  if (isMerged || data !== undefined || isLoading) return;
  store.loads.recordRequest('checks', store.options.now());
  store.request({ kind: 'load-view', view: 'checks' });
}

function subscriptionItems(store: ActionPorts): readonly MenuItem[] {
  const counts = new Map<string, number>();
  for (const { name, subscriptions } of store.clients.values()) {
    for (const subscription of subscriptions) {
      if (subscription !== clientSubscription(name)) counts.set(subscription, (counts.get(subscription) ?? 0) + 1);
    }
  }
  return [...counts]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([subscription, count]) => targetItem(store, { subscription }, `  (${countOf(count, 'client')})`));
}

function targetItem(store: ActionPorts, target: NewTarget, note = ''): MenuItem {
  const { subscription = null, check = null } = target;
  return {
    id: targetId(target),
    label: `${safeLine(targetText({ subscription, check }))}${note}`,
    choose: () => silenceTargets(store, [target], 'target'),
  };
}

/** The action that creates a silence without using the selected rows. */
export const NEW_SILENCE_ACTIONS: readonly Action[] = [
  {
    name: 'silence-new',
    keys: ['n'],
    in: [...LIST_CONTEXTS, 'overview', 'silence-entry'],
    help: 'silence a search, subscription, check or client',
    hint: 'new',
    changes: true,
    run: openNewSilence,
  },
];
