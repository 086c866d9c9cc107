import { CALCULATED_DAYS_MAX } from '../../../shared/domain/on-call/on-call-at.ts';
import { swappedShifts, type SwappedShift } from '../../../shared/domain/on-call/swap.ts';
import { scheduleSpans } from '../../../shared/domain/on-call/views.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import {
  ON_CALL_LIMITS,
  OVERRIDE_SECONDS_MAX,
  type NewOverride,
  type NewSwap,
  type OnCallOverride,
} from '../../../shared/schemas/on-call.ts';
import type { Batcher } from '../commit/batcher.ts';
import { recordAudit } from '../model/audit/mutations.ts';
import type { Definitions } from '../model/config/definitions.ts';
import { isOutdatedOverride, overridesOf } from '../model/on-call/state.ts';
import { OVERRIDES } from '../model/on-call/storage.ts';
import type { Transaction } from '../model/transaction/transaction.ts';

const DAY_MS = 86_400_000;

/** Creates and deletes overrides of schedules. */
export class OnCallOverrides {
  readonly #batcher: Batcher;
  readonly #definitions: Pick<Definitions, 'onCall'>;

  constructor(batcher: Batcher, definitions: Pick<Definitions, 'onCall'>) {
    this.#batcher = batcher;
    this.#definitions = definitions;
  }

  /**
   * Puts a person on call in place of the layers of a schedule. Overrides that ended more than 30 days ago are removed.
   *
   * @param by name of the user who creates the override
   * @throws MonError `not_found` if there is no such schedule, `invalid` if the person is unknown or the override would
   *   have ended already, `conflict` if there are too many overrides, `unavailable`
   */
  create(schedule: string, request: NewOverride, by: string, actor: Actor): Promise<OnCallOverride> {
    return this.#batcher.run((transaction) => {
      const { onCall } = this.#definitions;
      if (!onCall.schedules.has(schedule)) throw noSchedule(schedule);
      const { person, until, note } = request;
      const from = request.from ?? transaction.now;
      this.#refuseUnknownPerson('person', person);
      if (until <= from) throw new MonError('invalid', 'until: must be later than from');
      if (until - Math.min(from, transaction.now) > OVERRIDE_SECONDS_MAX) {
        throw new MonError('invalid', 'until: must be at most 366 days from now: create a later override then');
      }
      if (until <= transaction.now) throw new MonError('invalid', 'until: the time is in the past; give a later time');
      const [override] = addOverrides(transaction, [{ person, from, until }] as const, { schedule, by, note });
      const reason = override.note ?? null;
      recordAudit(transaction, actor, { action: 'on-call.override', target: schedule, after: override, reason });
      return override;
    });
  }

  /**
   * Exchanges a shift of two people by two overrides, in one commit.
   *
   * @param by name of the user who swaps the shifts
   * @returns the overrides: first `other` in the shift of `person`, then `person` in the shift of `other`
   * @throws MonError `not_found` if there is no such schedule, `invalid` if a person is unknown or has no shift in the
   *   next 92 days, `conflict` if there are too many overrides, `unavailable`
   */
  swap(name: string, request: NewSwap, by: string, actor: Actor): Promise<readonly OnCallOverride[]> {
    return this.#batcher.run((transaction) => {
      const schedule = this.#definitions.onCall.schedules.get(name);
      if (schedule === undefined) throw noSchedule(name);
      const { person, other, note } = request;
      this.#refuseUnknownPerson('person', person);
      this.#refuseUnknownPerson('other', other);
      const fromMs = transaction.now * 1000;
      const untilMs = fromMs + CALCULATED_DAYS_MAX * DAY_MS;
      const spans = scheduleSpans(schedule, overridesOf(transaction.registry).spansOf(name), fromMs, untilMs);
      const shifts = swappedShifts({ name, ...spans }, request);
      if ('problem' in shifts) throw new MonError('invalid', shifts.problem);
      const overrides = addOverrides(transaction, shifts, { schedule: name, by, note });
      const reason = overrides[0].note ?? null;
      recordAudit(transaction, actor, { action: 'on-call.swap', target: name, after: { overrides }, reason });
      return overrides;
    });
  }

  /**
   * Deletes an override of a schedule.
   *
   * @throws MonError `not_found` if there is no such override, `unavailable`
   */
  remove(schedule: string, id: string, actor: Actor): Promise<void> {
    return this.#batcher.run((transaction) => {
      const before = overridesOf(transaction.registry).get(id);
      if (before?.schedule !== schedule) {
        throw new MonError('not_found', `there is no override ${id} of the schedule ${schedule}`);
      }
      transaction.remove(OVERRIDES, transaction.registry.namespace(DEFAULT_NAMESPACE), id);
      recordAudit(transaction, actor, { action: 'on-call.override-delete', target: schedule, before });
    });
  }

  /** @param attribute name of the attribute of the request that contains the person */
  #refuseUnknownPerson(attribute: string, person: string): void {
    if (this.#definitions.onCall.people.has(person)) return;
    throw new MonError('invalid', `${attribute}: ${person} is not defined in people: use one of the people there`);
  }
}

/**
 * Creates overrides, and removes those that ended more than 30 days ago.
 *
 * @throws MonError `conflict` if there would be too many overrides, `unavailable`
 */
function addOverrides<Shifts extends readonly SwappedShift[]>(
  transaction: Transaction,
  shifts: Shifts,
  { schedule, by, note }: { readonly schedule: string; readonly by: string; readonly note: string | null | undefined },
): { readonly [At in keyof Shifts]: OnCallOverride } {
  transaction.refuseNew(undefined);
  removeOldOverrides(transaction);
  if (overridesOf(transaction.registry).size + shifts.length > ON_CALL_LIMITS.overrides) {
    throw new MonError(
      'conflict',
      `the limit of ${String(ON_CALL_LIMITS.overrides)} overrides is reached: delete some first`,
    );
  }
  const create = ({ person, from, until }: SwappedShift): OnCallOverride => {
    const override: OnCallOverride = {
      id: transaction.newId(),
      schedule,
      person,
      from,
      until,
      by,
      ...(note !== null && note !== undefined && note !== '' && { note }),
      created_at: transaction.nowMs / 1000,
    };
    transaction.put(OVERRIDES, transaction.registry.namespace(DEFAULT_NAMESPACE), override.id, override);
    return override;
  };
  return shifts.map(create) as { readonly [At in keyof Shifts]: OnCallOverride };
}

/** Returns the error for a schedule that is not defined. */
export function noSchedule(name: string): MonError {
  return new MonError('not_found', `there is no schedule ${name}: schedules are in the configuration files`);
}

function removeOldOverrides(transaction: Transaction): void {
  const namespace = transaction.registry.namespace(DEFAULT_NAMESPACE);
  for (const override of overridesOf(transaction.registry).sorted()) {
    if (isOutdatedOverride(override, transaction.now)) transaction.remove(OVERRIDES, namespace, override.id);
  }
}
