import { parseSelector, type Selector } from '../../../../shared/domain/selector.ts';
import type { SilencedChange } from '../../ports.ts';
import { eventsOf, type CheckEntry, type Namespace } from './namespace.ts';

/*
 * Functions that find the events and checks that a silence matches, by its subscription and check or by its selector.
 * The silence can also be pending or expired.
 */

/**
 * Yields the checks with an open event that a silence with this subscription and check matches. Null stands for all
 * subscriptions or all checks; if both are null, no check is yielded.
 */
export function* eventsNamedBy(
  namespace: Namespace,
  subscription: string | null,
  check: string | null,
): Generator<CheckEntry, void, undefined> {
  const { openEvents } = namespace;
  if (subscription === null) {
    if (check === null) return;
    yield* openEvents.eventsOfCheck(check);
    yield* openEvents.inFamily(check);
    return;
  }
  for (const client of namespace.subscribersOf(subscription)) {
    if (check === null) {
      yield* eventsOf(client);
      continue;
    }
    const entry = client.checks.get(check);
    if (entry?.state.event !== undefined) yield entry;
  }
  if (check === null) return;
  for (const entry of openEvents.inFamily(check)) {
    if (entry.client.subscriptions.includes(subscription)) yield entry;
  }
}

/** Yields the checks with an open event that a selector matches. */
function* eventsSelectedBy(namespace: Namespace, selector: Selector): Generator<CheckEntry, void, undefined> {
  for (const client of namespace.clients.values()) {
    if (client.openEvents === 0 || !selector.canMatchClient(client.subject())) continue;
    for (const entry of eventsOf(client)) if (selector.matches(entry.subject())) yield entry;
  }
}

/**
 * Yields the checks with an open event that the silence of a change matches. The silence itself can have been deleted.
 */
export function* eventsSilencedBy(
  namespace: Namespace,
  [, , subscription, check, bySearch]: SilencedChange,
): Generator<CheckEntry, void, undefined> {
  if (bySearch === undefined) return yield* eventsNamedBy(namespace, subscription, check);
  const selector = parseSelector(bySearch.selector);
  if (selector.kind === 'selector') yield* eventsSelectedBy(namespace, selector);
}

/** True if the silence of a change matches at least one open event. */
export function isAnySilencedBy(namespace: Namespace, change: SilencedChange): boolean {
  return eventsSilencedBy(namespace, change).next().done !== true;
}

/**
 * Number of clients that `checksNamedBy` examines before it yields undefined, so that its caller can let other work
 * run.
 */
const CLIENTS_OF_STEP = 256;

/**
 * Yields the checks with a result or an event that a silence with this subscription and check matches. Null stands for
 * all subscriptions or all checks. Yields undefined at times, so that the caller can let other work run.
 */
export function* checksNamedBy(
  namespace: Namespace,
  subscription: string | null,
  check: string | null,
): Generator<CheckEntry | undefined, void, undefined> {
  const clients = subscription === null ? namespace.clients.values() : namespace.subscribersOf(subscription);
  let looked = 0;
  for (const client of clients) {
    if (++looked % CLIENTS_OF_STEP === 0) yield undefined;
    if (check === null) yield* client.checks.values();
    else {
      const entry = client.checks.get(check);
      if (entry !== undefined) yield entry;
    }
  }
}
