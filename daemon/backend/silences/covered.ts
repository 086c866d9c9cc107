import { setImmediate as turn } from 'node:timers/promises';
import { eventKey } from '../../../shared/domain/event-key.ts';
import { parseSelector } from '../../../shared/domain/selector.ts';
import { severityOf } from '../../../shared/domain/severity.ts';
import type { RecentProblems } from '../../../shared/schemas/silence-preview.ts';
import type { SilencedTargetParts } from '../../../shared/schemas/silenced.ts';
import { checksNamedBy, eventsNamedBy, eventsSelectedBy } from '../registry/named-by.ts';
import type { CheckEntry, Namespace } from '../registry/namespace.ts';

/** Clients and checks that are looked at until others get their turn: a few milliseconds. */
const TURN = 20_000;

/** Events that are named. */
const FIRST = 5;

/** The open events that these entries would silence, each counted once. */
export async function eventsCovered(
  namespace: Namespace,
  entries: readonly SilencedTargetParts[],
  nowMs: number,
): Promise<NonNullable<RecentProblems['events']>> {
  const covered = new Set<CheckEntry>();
  for (const target of entries) {
    for (const entry of eventsOfTarget(namespace, target)) covered.add(entry);
    await turn();
  }
  const events = { total: 0, critical: 0, warning: 0, unknown: 0, ok: 0, silenced: 0, first: [] as string[] };
  for (const entry of covered) {
    const { event } = entry.state;
    if (event === undefined) continue;
    events.total++;
    events[severityOf(event.status)]++;
    if (entry.isSilenced(nowMs)) events.silenced++;
    if (events.first.length < FIRST) events.first.push(eventKey(entry.client.name, entry.name));
  }
  return events;
}

/**
 * How many clients and checks that these entries name have no open event now, and were not OK at or after a moment. Of a
 * check that is well no attributes are known: a selector that asks for them does not find it.
 *
 * @param since epoch seconds
 */
export async function recoveredSince(
  namespace: Namespace,
  entries: readonly SilencedTargetParts[],
  since: number,
): Promise<number> {
  const recovered = new Set<CheckEntry>();
  let looked = 0;
  for (const target of entries) {
    for (const entry of checksOfTarget(namespace, target)) {
      looked += 1;
      if (looked % TURN === 0) await turn();
      if (entry.lastProblem >= since && entry.state.event === undefined) recovered.add(entry);
    }
  }
  return recovered.size;
}

function eventsOfTarget(namespace: Namespace, target: SilencedTargetParts): Iterable<CheckEntry> {
  const { subscription = null, check = null, selector: text } = target;
  if (text === undefined || text === null) return eventsNamedBy(namespace, subscription, check);
  const selector = parseSelector(text);
  return selector.kind === 'selector' ? eventsSelectedBy(namespace, selector) : [];
}

function* checksOfTarget(namespace: Namespace, target: SilencedTargetParts): Generator<CheckEntry, void, undefined> {
  const { subscription = null, check = null, selector: text } = target;
  if (text === undefined || text === null) return yield* checksNamedBy(namespace, subscription, check);
  const selector = parseSelector(text);
  if (selector.kind === 'problem') return;
  for (const client of namespace.clients.values()) {
    if (!selector.mayMatch(client.subject())) continue;
    for (const entry of client.checks.values()) if (selector.matches(entry.subject())) yield entry;
  }
}
