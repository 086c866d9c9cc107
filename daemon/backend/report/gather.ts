import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { inhibitorForDisplay } from '../../../shared/domain/notify/inhibit.ts';
import type { Span, StatusChange } from '../../../shared/domain/timeline/availability.ts';
import { actionOf } from '../../../shared/domain/report/actions.ts';
import type { Inhibitor } from '../../../shared/schemas/inhibition.ts';
import type { ReportAction } from '../../../shared/schemas/report.ts';
import type { Transition } from '../../../shared/schemas/timeline.ts';
import { persistingInhibitor } from '../model/notify/inhibitions/state.ts';
import type { RequestedNamespaces } from '../namespaces/request-namespaces.ts';
import type { ReadStore } from '../ports.ts';
import { eventsOf, type Namespace } from '../model/registry/namespace.ts';
import { TimeSlice } from '../store/time-slice.ts';
import { newestOf } from '../timeline/sources.ts';
import { sourcesOfAll } from '../timeline/queries.ts';
import { timeOf } from '../model/timeline/storage.ts';

/** Limit on the transitions that one report reads: some seconds, a chunk at a time, and some tens of megabytes. */
export const TRANSITIONS_MAX = 200_000;

/** Maximum number of user actions in one report; equal ones are combined. */
const ACTIONS_MAX = 10_000;

/** Number of transitions, events and clients that are examined before other work can run: some milliseconds. */
export const SLICE = 1000;

/** The known history of a check, for a report. */
export interface PastOfCheck {
  readonly namespace: Namespace;
  readonly client: string;
  readonly check: string;
  readonly status: number | undefined;
  /** The present inhibitor of its event. */
  readonly inhibitor?: Inhibitor | undefined;
  /** Transitions, the newest first; of those after the span only the oldest, which shows the state at its end. */
  statusChanges: StatusChange[];
  /** Output of its newest event in the span; undefined: no transition has one. */
  output: string | undefined;
}

/** The source data of a report. */
export interface Gathered {
  readonly pasts: readonly PastOfCheck[];
  /** User actions, the newest first. */
  readonly actions: readonly ReportAction[];
  /** Time before which transitions were not read, epoch milliseconds; undefined: all were read. */
  readonly cutMs: number | undefined;
}

/**
 * Reads backwards from now to the beginning of a span. Open events are read first: for anything that changes meanwhile
 * the transition is read as well, and it takes precedence.
 */
export async function gather(
  store: ReadStore,
  { namespaces, placed }: RequestedNamespaces,
  span: Span,
  transitionsMax = TRANSITIONS_MAX,
): Promise<Gathered> {
  const pasts = new Map<string, PastOfCheck>();
  for (const namespace of namespaces) await addOpen(pasts, namespace);
  const byName = new Map(namespaces.map((namespace) => [namespace.name, namespace]));
  const actions: ReportAction[] = [];
  let examined = 0;
  const timeSlice = new TimeSlice();
  for await (const page of newestOf(store, sourcesOfAll(namespaces), Number.MAX_SAFE_INTEGER)) {
    for (const { id, source, text } of page) {
      const atMs = timeOf(id);
      if (atMs < span.sinceMs) return { pasts: [...pasts.values()], actions, cutMs: undefined };
      const namespace = byName.get(source.namespace);
      if (namespace === undefined) continue;
      const transition = JSON.parse(text) as Transition;
      addStatusChange(pasts, namespace, { atMs, transition }, span);
      const action =
        atMs <= span.untilMs && actions.length < ACTIONS_MAX ? actionOf({ id, at: atMs, ...transition }) : undefined;
      if (action !== undefined) actions.push(placed(action, namespace.name));
      // Its millisecond may contain more transitions.
      if (++examined >= transitionsMax) return { pasts: [...pasts.values()], actions, cutMs: atMs + 1 };
      if (timeSlice.isDue) await timeSlice.share();
    }
  }
  return { pasts: [...pasts.values()], actions, cutMs: undefined };
}

async function addOpen(pasts: Map<string, PastOfCheck>, namespace: Namespace): Promise<void> {
  let looked = 0;
  for (const client of namespace.clients.values()) {
    for (const entry of eventsOf(client)) {
      const { name, state } = entry;
      const ref = persistingInhibitor(entry);
      const inhibitor = ref && inhibitorForDisplay(ref);
      const past = { namespace, client: client.name, check: name, status: state.event?.status, inhibitor };
      pasts.set(keyOf(namespace, client.name, name), { ...past, statusChanges: [], output: undefined });
      looked++;
    }
    if (++looked < SLICE) continue;
    looked = 0;
    await yieldToEventLoop();
  }
}

function addStatusChange(
  pasts: Map<string, PastOfCheck>,
  namespace: Namespace,
  { atMs, transition }: { readonly atMs: number; readonly transition: Transition },
  { untilMs }: Span,
): void {
  const { client, check = '', was, status, output, inhibited_by: inhibitor } = transition;
  if (client === undefined) return;
  const key = keyOf(namespace, client, check);
  let past = pasts.get(key);
  if (past === undefined) {
    past = { namespace, client, check, status: undefined, statusChanges: [], output: undefined };
    pasts.set(key, past);
  }
  const change = { atMs, was, status, inhibitor };
  if (atMs > untilMs) past.statusChanges = [change];
  else past.statusChanges.push(change);
  if (atMs <= untilMs && status !== 0) past.output ??= output;
}

function keyOf(namespace: Namespace, client: string, check: string): string {
  return `${namespace.name}\0${client}\0${check}`;
}
