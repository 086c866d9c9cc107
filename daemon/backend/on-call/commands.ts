import { MonError } from '../../../shared/errors.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import {
  ON_CALL_LIMITS,
  OVERRIDE_SECONDS_MAX,
  type NewOverride,
  type OnCallOverride,
} from '../../../shared/schemas/on-call.ts';
import type { Batcher } from '../commit/batcher.ts';
import { recordAudit } from '../model/audit/mutations.ts';
import type { Definitions } from '../model/config/definitions.ts';
import { isOutdatedOverride, overridesOf } from '../model/on-call/state.ts';
import { OVERRIDES } from '../model/on-call/storage.ts';
import type { Transaction } from '../model/transaction/transaction.ts';

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
      if (!onCall.people.has(person)) {
        throw new MonError('invalid', `person: ${person} is not defined in people: use one of the people there`);
      }
      if (until <= from) throw new MonError('invalid', 'until: must be later than from');
      if (until - Math.min(from, transaction.now) > OVERRIDE_SECONDS_MAX) {
        throw new MonError('invalid', 'until: must be at most 366 days from now: create a later override then');
      }
      if (until <= transaction.now) throw new MonError('invalid', 'until: the time is in the past; give a later time');
      transaction.refuseNew(undefined);
      removeOldOverrides(transaction);
      if (overridesOf(transaction.registry).size >= ON_CALL_LIMITS.overrides) {
        throw new MonError(
          'conflict',
          `the limit of ${String(ON_CALL_LIMITS.overrides)} overrides is reached: delete some first`,
        );
      }
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
      const reason = override.note ?? null;
      recordAudit(transaction, actor, { action: 'on-call.override', target: schedule, after: override, reason });
      return override;
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
