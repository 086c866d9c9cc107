import { setImmediate as yieldToEventLoop } from 'node:timers/promises';
import { inhibitorForDisplay } from '../../../shared/domain/notify/inhibit.ts';
import type { Span, StatusChange } from '../../../shared/domain/timeline/availability.ts';
import { actionOf } from '../../../shared/domain/report/actions.ts';
import { reportEscalationOf } from '../../../shared/domain/report/escalations.ts';
import type { Inhibitor } from '../../../shared/schemas/inhibition.ts';
import type { StatusCountChange } from '../../../shared/domain/timeline/open-over-time.ts';
import type { ReportAction, ReportEscalation } from '../../../shared/schemas/report.ts';
import type { Transition } from '../../../shared/schemas/timeline.ts';
import { loggedInhibitorIfActive } from '../model/notify/inhibitions/state.ts';
import type { RequestedNamespaces } from '../namespaces/request-namespaces.ts';
import type { ReadStore } from '../ports.ts';
import { eventsOf, type Namespace } from '../model/registry/namespace.ts';
import { TimeSlice } from '../store/time-slice.ts';
import { newestOf } from '../timeline/sources.ts';
import { sourcesOfAll } from '../timeline/queries.ts';
import { timeOf } from '../model/timeline/storage.ts';

/** Maximum number of transitions that are read for one report. Reading them takes seconds and tens of megabytes. */
export const TRANSITIONS_MAX = 200_000;

/**
 * Maximum number of user actions that are gathered for one report. The limit applies before equal actions are combined.
 */
const ACTIONS_MAX = 10_000;

/**
 * Number of transitions, events and clients that are processed at once, which takes a few milliseconds, before other
 * work can run.
 */
export const SLICE_ITEMS = 1000;

/** The known history of one check on one client, gathered for a report. */
export interface GatheredCheckHistory {
  readonly namespace: Namespace;
  readonly client: string;
  readonly check: string;
  readonly status: number | undefined;
  /** The event that currently inhibits the open event of the check; undefined or absent if there is no such event. */
  readonly inhibitor?: Inhibitor | undefined;
  /**
   * Transitions of the check, the newest first. Of the transitions after the span of the report, only the oldest is
   * included, because it tells the state at the end of the span.
   */
  statusChanges: StatusChange[];
  /**
   * Output of the newest transition in the span whose new status is not OK; undefined if that transition has no output.
   */
  output: string | undefined;
}

/** The data from which a report is built. */
export interface ReportData {
  readonly pasts: readonly GatheredCheckHistory[];
  /** The status changes of all checks in the span, the newest first. */
  readonly changes: readonly StatusCountChange[];
  /** The steps of escalations in the span, the newest first. */
  readonly escalations: readonly ReportEscalation[];
  /** User actions in the span, the newest first. */
  readonly actions: readonly ReportAction[];
  /**
   * Time in epoch milliseconds before which transitions were not read; undefined if all transitions in the span were
   * read.
   */
  readonly cutMs: number | undefined;
}

/**
 * Gathers the data of a report. It reads the open events first, and then the transitions backwards from now to the
 * beginning of the span. If an event changes meanwhile, its transition is read as well and takes precedence.
 */
export async function gatherReport(
  store: ReadStore,
  { namespaces, withNamespaceName: placed }: RequestedNamespaces,
  span: Span,
  transitionsMax = TRANSITIONS_MAX,
): Promise<ReportData> {
  const pasts = new Map<string, GatheredCheckHistory>();
  for (const namespace of namespaces) await addOpen(pasts, namespace);
  const byName = new Map(namespaces.map((namespace) => [namespace.name, namespace]));
  const actions: ReportAction[] = [];
  const escalations: ReportEscalation[] = [];
  const changes: StatusCountChange[] = [];
  const gathered = (cutMs: number | undefined): ReportData => ({
    pasts: [...pasts.values()],
    changes,
    actions,
    escalations,
    cutMs,
  });
  let examined = 0;
  const timeSlice = new TimeSlice();
  for await (const page of newestOf(store, sourcesOfAll(namespaces), Number.MAX_SAFE_INTEGER)) {
    for (const { id, source, text } of page) {
      const atMs = timeOf(id);
      if (atMs < span.sinceMs) return gathered(undefined);
      const namespace = byName.get(source.namespace);
      if (namespace === undefined) continue;
      const transition = JSON.parse(text) as Transition;
      const change = addStatusChange(pasts, namespace, { atMs, transition }, span);
      if (change !== undefined && atMs <= span.untilMs) changes.push(change);
      const action =
        atMs <= span.untilMs && actions.length < ACTIONS_MAX ? actionOf({ id, at: atMs, ...transition }) : undefined;
      if (action !== undefined) actions.push(placed(action, namespace.name));
      const step =
        atMs <= span.untilMs && escalations.length < ACTIONS_MAX
          ? reportEscalationOf({ id, at: atMs, ...transition })
          : undefined;
      if (step !== undefined) escalations.push(placed(step, namespace.name));
      // Transitions that were not read can have the same time, so the data is complete only from the next millisecond
      // on.
      if (++examined >= transitionsMax) return gathered(atMs + 1);
      if (timeSlice.isDue) await timeSlice.share();
    }
  }
  return gathered(undefined);
}

async function addOpen(pasts: Map<string, GatheredCheckHistory>, namespace: Namespace): Promise<void> {
  let looked = 0;
  for (const client of namespace.clients.values()) {
    for (const entry of eventsOf(client)) {
      const { name, state } = entry;
      const ref = loggedInhibitorIfActive(entry);
      const inhibitor = ref && inhibitorForDisplay(ref);
      const past = { namespace, client: client.name, check: name, status: state.event?.status, inhibitor };
      pasts.set(keyOf(namespace, client.name, name), { ...past, statusChanges: [], output: undefined });
      looked++;
    }
    if (++looked < SLICE_ITEMS) continue;
    looked = 0;
    await yieldToEventLoop();
  }
}

/**
 * Adds the status change of a transition to the history of its check.
 *
 * @returns the status change; undefined if the transition is about a silence or an escalation
 */
function addStatusChange(
  pasts: Map<string, GatheredCheckHistory>,
  namespace: Namespace,
  { atMs, transition }: { readonly atMs: number; readonly transition: Transition },
  { untilMs }: Span,
): StatusChange | undefined {
  const { kind, client, check = '', was, status, output, inhibited_by: inhibitor } = transition;
  // A change of an escalation leaves the status as it is, and does not name the inhibitor of the event.
  if (client === undefined || kind === 'escalate') return undefined;
  const key = keyOf(namespace, client, check);
  let past = pasts.get(key);
  if (past === undefined) {
    past = { namespace, client, check, status: undefined, statusChanges: [], output: undefined };
    pasts.set(key, past);
  }
  const change = { atMs, previousStatus: was, status, inhibitor };
  if (atMs > untilMs) past.statusChanges = [change];
  else past.statusChanges.push(change);
  if (atMs <= untilMs && status !== 0) past.output ??= output;
  return change;
}

function keyOf(namespace: Namespace, client: string, check: string): string {
  return `${namespace.name}\0${client}\0${check}`;
}
