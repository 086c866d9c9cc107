import { safeLine } from '../../shared/domain/terminal-text.ts';
import { countText } from '../count-text.ts';
import type { ConfirmLayer } from './console-state.ts';
import type { ConsoleStore } from './console-store.ts';
import { silenceText } from './detail-lines.ts';
import { openSilenceForm, type Target } from './silence-form.ts';

/** Events that one action may be about: each is a request of its own, and nobody can look over more. */
const TARGETS_MAX = 1000;

/** Targets that a dialog names; the rest is a number. */
const NAMED_MAX = 5;

export function openSilence(store: ConsoleStore, targets: readonly Target[]): void {
  const living = stillThere(store, targets);
  if (living.length === 0) return sayNothingThere(store, targets, 'silence');
  if (living.length > TARGETS_MAX) return sayTooMany(store, living.length);
  const form = openSilenceForm(living, sharedSubscriptions(store, living));
  store.update({ layers: [...store.state.layers, { kind: 'silence', form }] });
}

/** Asks first when it is more than one event, or a critical one. */
export function askResolve(store: ConsoleStore, targets: readonly Target[]): void {
  const living = stillThere(store, targets);
  const [first] = living;
  if (first === undefined) return sayNothingThere(store, targets, 'resolve');
  if (living.length > TARGETS_MAX) return sayTooMany(store, living.length);
  const effect = { kind: 'resolve', targets: living } as const;
  const isCritical = living.some((target) => store.events.get(target.key)?.row.status === 2);
  if (living.length === 1 && !isCritical) return store.request(effect);
  confirm(store, {
    title: `Resolve ${countOf(living.length, 'event')}`,
    lines: [...named(living.map(nameOf)), 'It cannot be undone; a check that still fails opens its event again.'],
    button: `Resolve ${countOf(living.length, 'event')}`,
    effect,
  });
}

/** Ends the silences on one event; always asks, since each may cover other events too. */
export function askUnsilence(store: ConsoleStore, target: Target | undefined): void {
  const row = target === undefined ? undefined : store.events.get(target.key)?.row;
  if (target === undefined || row === undefined) return store.say('there is no event under the cursor');
  const ids = row.silenced_by;
  if (ids.length === 0) return store.say(`${nameOf(target)} is not silenced`);
  const lines = ids.map((id) => {
    const entry = store.silenced.get(id);
    return entry === undefined ? safeLine(id) : silenceText(entry, store.nowMs);
  });
  const button = ids.length === 1 ? 'End the silence' : `End ${String(ids.length)} silences`;
  confirm(store, {
    title: `${button} on ${nameOf(target)}`,
    lines: [...named(lines), 'Everything else that it covers is heard again, too.'],
    button,
    effect: { kind: 'clear-silenced', ids },
  });
}

/** Events that a dialog was opened for and that are not resolved by now. */
export function stillThere(store: ConsoleStore, targets: readonly Target[]): readonly Target[] {
  return targets.filter((target) => store.events.get(target.key) !== undefined);
}

export function nameOf(target: Target): string {
  return safeLine(`${target.client}/${target.check}`);
}

export function countOf(count: number, noun: string): string {
  return `${countText(count)} ${noun}${count === 1 ? '' : 's'}`;
}

/** Says something that one line cannot hold. */
export function report(store: ConsoleStore, title: string, lines: readonly string[]): void {
  confirm(store, { title, lines: named(lines), button: 'Close', effect: undefined });
}

function confirm(store: ConsoleStore, question: Omit<ConfirmLayer, 'kind' | 'focused'>): void {
  store.update({ layers: [...store.state.layers, { kind: 'confirm', focused: 'submit', ...question }] });
}

function sayTooMany(store: ConsoleStore, count: number): void {
  const most = countText(TARGETS_MAX);
  store.say(
    `${countOf(count, 'event')} are too many at once (at most ${most}): mark fewer, or silence a check or subscription`,
    'problem',
  );
}

function sayNothingThere(store: ConsoleStore, targets: readonly Target[], verb: string): void {
  const [first] = targets;
  store.say(
    first === undefined
      ? `there is no event to ${verb}`
      : `${targets.length === 1 ? nameOf(first) : 'all of them'} resolved meanwhile: nothing to ${verb}`,
  );
}

function named(names: readonly string[]): readonly string[] {
  if (names.length <= NAMED_MAX) return names;
  const shown = names.slice(0, NAMED_MAX - 1);
  return [...shown, `and ${String(names.length - shown.length)} more`];
}

/** Subscriptions that each of the clients holds: a silence of one of them covers all targets. */
function sharedSubscriptions(store: ConsoleStore, targets: readonly Target[]): readonly string[] {
  const [first, ...others] = new Set(targets.map((target) => target.client));
  const of = (client: string): readonly string[] => store.clients.get(client)?.subscriptions ?? [];
  if (first === undefined) return [];
  return of(first).filter(
    (subscription) =>
      !subscription.startsWith('client:') && others.every((client) => of(client).includes(subscription)),
  );
}
