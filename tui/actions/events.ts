import { safeLine } from '../../shared/domain/terminal-text.ts';
import { clientSubscription } from '../../shared/domain/subscription.ts';
import { silencedId } from '../../shared/domain/silencing.ts';
import type { BulkOperation } from '../../shared/schemas/bulk.ts';
import { countOf, type Change } from '../words/changes.ts';
import { askFirst, named } from '../form/confirm.ts';
import { silenceText } from '../screens/detail/lines.ts';
import { openSilenceForm } from '../screens/silences/form.ts';
import { sharedSubscriptions } from '../model/shared-subscriptions.ts';
import { endSilences } from './silences.ts';
import { livingTargets } from './targets.ts';
import { type Target, nameOf } from '../model/target.ts';
import type { Screen, Says, Opened, Silencing, Asks } from '../state/ports.ts';
import type { Known, Places } from '../model/known.ts';
import type { ActionPorts } from './action-ports.ts';
import { openLayer } from '../state/layer-stack.ts';
import { EXPIRE_NEVER } from '../../shared/schemas/expiry.ts';

export function openSilence(
  store: Screen & Says & Asks & Pick<Known, 'events' | 'clients'> & Places,
  targets: readonly Target[],
): void {
  const living = livingTargets(store, targets, 'silence');
  if (living.length === 0) return;
  const form = openSilenceForm(living, sharedSubscriptions(store, living));
  openLayer(store, { kind: 'silence', form });
  store.request({ kind: 'load-silence-policy' });
}

/** Asks first when it is more than one event, or a critical one. */
export function askResolve(
  store: Screen & Says & Asks & Pick<Known, 'events'> & Places,
  targets: readonly Target[],
): void {
  const living = livingTargets(store, targets, 'resolve');
  if (living.length === 0) return;
  const operations = living.map(({ client, check }): BulkOperation => ({ op: 'resolve', client, check }));
  const effect = { kind: 'change', change: { verb: 'resolve', operations } } as const;
  const isCritical = living.some((target) => store.events.get(target.key)?.row.status === 2);
  if (living.length === 1 && !isCritical) return store.request(effect);
  askFirst(store, {
    title: `Resolve ${countOf(living.length, 'event')}`,
    lines: [...named(living.map(nameOf)), 'It cannot be undone; a check that still fails opens its event again.'],
    button: `Resolve ${countOf(living.length, 'event')}`,
    count: living.length,
    effect,
  });
}

/** Always asks: what a client has reported goes with the event. */
export function askDelete(store: Screen & Says & Pick<Known, 'events'> & Places, targets: readonly Target[]): void {
  const living = livingTargets(store, targets, 'delete');
  if (living.length === 0) return;
  const button = `Delete ${countOf(living.length, 'event')}`;
  askFirst(store, {
    title: button,
    lines: [
      ...named(living.map(nameOf)),
      'Each is resolved, and its result and history are deleted. It cannot be undone; where the check still runs, its next result brings it back.',
    ],
    button,
    focused: 'cancel',
    count: living.length,
    effect: { kind: 'delete-events', targets: living },
  });
}

/**
 * Silences exactly these events until they resolve, because somebody is at it. Those that have such a silence already
 * keep theirs. Asks first when it is more than one.
 */
export function acknowledge(store: ActionPorts, targets: readonly Target[]): void {
  const living = livingTargets(store, targets, 'acknowledge');
  const open = living.filter(({ client, check }) => !store.silenced.has(silencedId(clientSubscription(client), check)));
  const kept = living.length - open.length;
  const [first] = living;
  if (first === undefined) return;
  if (open.length === 0) {
    return store.say(
      `${living.length === 1 ? `${nameOf(first)} has` : 'they all have'} a silence already: nothing to acknowledge`,
    );
  }
  const change = acknowledgement(store, open);
  if (open.length === 1) return store.request({ kind: 'change', change });
  askFirst(store, {
    title: `Acknowledge ${countOf(open.length, 'event')}`,
    lines: [
      ...named(open.map(nameOf)),
      'Each is silenced until it resolves.',
      ...(kept === 0
        ? []
        : [`${countOf(kept, 'other')} silenced already: left as ${kept === 1 ? 'it is' : 'they are'}.`]),
    ],
    button: `Acknowledge ${countOf(open.length, 'event')}`,
    count: open.length,
    effect: { kind: 'change', change },
  });
}

function acknowledgement(
  { options, silencePolicy }: Opened & Pick<Silencing, 'silencePolicy'>,
  targets: readonly Target[],
): Change {
  const operations = targets.map(({ client, check }): BulkOperation => ({
    op: 'silence',
    subscription: clientSubscription(client),
    check,
    expire: silencePolicy.max_expire ?? EXPIRE_NEVER,
    expire_on_resolve: true,
    reason: 'acknowledged',
    creator: options.creator,
  }));
  return { verb: 'acknowledge', operations };
}

/** Ends the silences on events; always asks, since each may cover other events too. */
export function askUnsilence(store: Screen & Says & Known & Places, targets: readonly Target[]): void {
  const living = livingTargets(store, targets, 'hear again');
  const [first] = living;
  if (first === undefined) return;
  const ids = new Set(living.flatMap(({ key }) => store.events.get(key)?.row.silenced_by ?? []));
  const what = living.length === 1 ? nameOf(first) : countOf(living.length, 'event');
  if (ids.size === 0) return store.say(`${what} ${living.length === 1 ? 'is' : 'are'} not silenced`);
  const lines = Array.from(ids, (id) => {
    const entry = store.silenced.get(id);
    return entry === undefined ? safeLine(id) : silenceText(entry, store.nowMs);
  });
  const button = ids.size === 1 ? 'End the silence' : `End ${String(ids.size)} silences`;
  askFirst(store, {
    title: `${button} on ${what}`,
    lines: [...named(lines), 'Everything else that it covers is heard again, too.'],
    button,
    count: ids.size,
    effect: { kind: 'change', change: endSilences(store, [...ids]) },
  });
}
