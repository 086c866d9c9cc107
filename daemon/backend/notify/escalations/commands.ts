import { decideEscalationStep } from '../../../../shared/domain/notify/decide-escalations.ts';
import { handlersWithEffect } from '../../../../shared/domain/notify/decide-notifications.ts';
import { escalationChange } from '../../../../shared/domain/notify/escalation-change.ts';
import {
  endEscalation,
  isStepDue,
  pauseEscalation,
  resumeEscalation,
} from '../../../../shared/domain/notify/escalation.ts';
import { recordInhibited, recordNotified } from '../../../../shared/domain/notify/notification-log.ts';
import { severityOf } from '../../../../shared/domain/severity.ts';
import type { EscalationChangeReason, EscalationState } from '../../../../shared/schemas/escalation.ts';
import type { EscalationDefinition } from '../../../../shared/schemas/handler.ts';
import type { Batcher } from '../../commit/batcher.ts';
import { CLIENTS } from '../../model/clients/storage.ts';
import type { Definitions } from '../../model/config/definitions.ts';
import { saveEscalations } from '../../model/events/mutations.ts';
import { CHECK_RECORDS } from '../../model/events/storage.ts';
import { recordEscalation } from '../../model/timeline/mutations.ts';
import { loggedInhibitorIfActive } from '../../model/notify/inhibitions/state.ts';
import type { CheckEntry } from '../../model/registry/namespace.ts';
import type { Registry } from '../../model/registry/registry.ts';
import type { Transaction } from '../../model/transaction/transaction.ts';
import { applyDecisions } from '../apply-decisions.ts';
import { buildNotificationContext } from '../build-notification-context.ts';
import type { Occurrence } from '../event-occurrence.ts';
import type { EventKey } from '../event-queue.ts';

/** Pauses, continues and advances the escalations of open events. */
export class EscalationUpdates {
  readonly #batcher: Pick<Batcher, 'run'>;

  constructor(batcher: Pick<Batcher, 'run'>) {
    this.#batcher = batcher;
  }

  /**
   * Updates the escalations of these events: pauses those that are suppressed now, continues those that are not, and
   * notifies the steps that are due. The same commit stores the notifications and the new state, so that each step is
   * notified once.
   *
   * @throws MonError `unavailable` if the changes cannot be committed
   */
  update(keys: readonly EventKey[]): Promise<void> {
    const findEntries = (registry: Registry): CheckEntry[] =>
      keys.flatMap(([namespace, client, check]) => registry.findNamespace(namespace)?.check(client, check) ?? []);
    return this.#batcher.run(
      (transaction) => {
        for (const entry of findEntries(transaction.registry)) updateEscalations(transaction, entry);
      },
      { weight: keys.length, needs: findEntries },
    );
  }
}

/** True if `EscalationUpdates.update` would change an escalation of the event of this check. */
export function hasOutdatedEscalation(
  entry: CheckEntry,
  definitions: Pick<Definitions, 'inNamespace'>,
  nowMs: number,
): boolean {
  const { escalations = [] } = entry.state.event ?? {};
  return escalations.some((escalation) => {
    if (escalation.due === undefined && escalation.remaining === undefined) return false;
    const definition = definitions.inNamespace(entry.client.namespace.name).handler(escalation.handler);
    if (definition?.type !== 'escalation') return true;
    const isSuppressed = pauseReason(entry, definition, nowMs) !== undefined;
    return escalation.due === undefined ? !isSuppressed : isSuppressed || escalation.due * 1000 <= nowMs;
  });
}

/** Returns why an escalation of an open event must not notify anybody now; undefined if it may. */
function pauseReason(
  entry: CheckEntry,
  { severities }: EscalationDefinition,
  nowMs: number,
): EscalationChangeReason | undefined {
  const { event } = entry.state;
  if (event === undefined) return undefined;
  if (event.acknowledgement !== undefined) return 'acknowledged';
  if (event.recovery !== undefined) return 'recovering';
  if (event.action === 'flapping') return 'flapping';
  if (severities?.includes(severityOf(event.status)) === false) return 'severity';
  if (loggedInhibitorIfActive(entry) !== undefined) return 'inhibited';
  return entry.isSilenced(nowMs) ? 'silenced' : undefined;
}

function updateEscalations(transaction: Transaction, entry: CheckEntry): void {
  const before = entry.state.event?.escalations ?? [];
  // The record was not read if the check was created after the batch selected the records to read. Its next change
  // updates the escalations.
  if (before.length === 0 || !transaction.hasBody(CHECK_RECORDS, entry)) return;
  const bodies = transaction.body(CHECK_RECORDS, entry);
  for (const escalation of before) updateEscalation(transaction, entry, escalation);
  if (entry.state.event?.escalations !== before) transaction.writeRecord(CHECK_RECORDS, entry, bodies);
}

function updateEscalation(transaction: Transaction, entry: CheckEntry, escalation: EscalationState): void {
  const { nowMs, now, routing } = transaction;
  const definition = routing.definitions.inNamespace(entry.client.namespace.name).handler(escalation.handler);
  if (definition?.type !== 'escalation') {
    replaceEscalation(transaction, entry, escalation, endEscalation(escalation), 'removed');
    return;
  }
  const reason = pauseReason(entry, definition, nowMs);
  if (reason !== undefined) {
    replaceEscalation(transaction, entry, escalation, pauseEscalation(escalation, now), reason);
    return;
  }
  const resumed = resumeEscalation(escalation, now);
  replaceEscalation(transaction, entry, escalation, resumed);
  if (isStepDue(resumed, now)) notifyStep(transaction, entry, resumed, definition);
}

function notifyStep(
  transaction: Transaction,
  entry: CheckEntry,
  escalation: EscalationState,
  definition: EscalationDefinition,
): void {
  const { client, state } = entry;
  const bodies = transaction.body(CHECK_RECORDS, entry);
  const check = bodies.eventCheck ?? bodies.check;
  if (state.event === undefined || check === null) return;
  const occurrence: Occurrence = { client, check, state: state.event, history: bodies.eventHistory ?? state.history };
  const context = buildNotificationContext(transaction, occurrence, {
    clientRecord: transaction.body(CLIENTS, client),
    handlers: [],
  });
  const routed = { kind: 'escalation' as const, name: escalation.handler, definition };
  const { escalation: after, change, targets } = decideEscalationStep(routed, escalation, context);
  const { notificationLog, inhibition } = context;
  applyDecisions(transaction, occurrence, context, {
    decisions: targets,
    notificationLog:
      inhibition?.inhibitor === undefined
        ? recordNotified(notificationLog, handlersWithEffect(targets, 'notify'))
        : recordInhibited(notificationLog, inhibition.inhibitor, []),
    escalations: replaced(context.escalations, escalation, after),
    escalationChanges: change === undefined ? [] : [change],
  });
}

function replaceEscalation(
  transaction: Transaction,
  entry: CheckEntry,
  before: EscalationState,
  after: EscalationState,
  reason?: EscalationChangeReason,
): void {
  const change = escalationChange(before, after, { ...(reason !== undefined && { reason }) });
  if (change !== undefined) recordEscalation(transaction, entry, change);
  saveEscalations(transaction, entry, replaced(entry.state.event?.escalations ?? [], before, after));
}

function replaced(
  escalations: readonly EscalationState[],
  before: EscalationState,
  after: EscalationState,
): readonly EscalationState[] {
  return escalations.map((one) => (one === before ? after : one));
}
