import {
  currentAssignment,
  gapsBetween,
  type Gap,
  type OnCall,
  type OverrideSpan,
} from '../../../../shared/domain/on-call/on-call-at.ts';
import { parseOnCallSchedule, type OnCallSchedule } from '../../../../shared/domain/on-call/schedule.ts';
import { onCallReason } from '../../../../shared/domain/on-call/words.ts';
import type { OnCallTarget } from '../../../../shared/domain/v2/pipeline.ts';
import type { PersonDefinition, ScheduleDefinition } from '../../../../shared/schemas/on-call.ts';

/** The state besides the configuration that decides who is on call. */
interface OnCallInputs {
  /** Returns the overrides of a schedule in the order of their creation: the same array until one of them changes. */
  readonly overridesOf: (schedule: string) => readonly OverrideSpan[];
  /** Returns the current time in epoch milliseconds. */
  readonly now: () => number;
}

const NO_ENTRIES: readonly never[] = [];

const DAY_MS = 86_400_000;
/** The number of days in which a gap of a schedule is reported. */
export const GAP_DAYS = 7;
const GAP_CACHE_MS = 3_600_000;

/** The schedules and people of the configuration. It finds out who is on call. */
export class OnCallDirectory {
  #schedules: ReadonlyMap<string, OnCallSchedule> = new Map();
  #people: ReadonlyMap<string, PersonDefinition> = new Map();
  #inputs: OnCallInputs = { overridesOf: () => NO_ENTRIES, now: () => Date.now() };
  /** The person on call for each schedule. An entry is valid in its span of time while the overrides are the same. */
  readonly #periods = new Map<
    string,
    {
      readonly onCall: OnCall | undefined;
      readonly sinceMs: number;
      readonly validUntilMs: number;
      readonly overrides: readonly OverrideSpan[];
    }
  >();

  /** The next gap of each schedule. It is calculated again after an hour, or if the overrides changed. */
  readonly #gaps = new Map<
    string,
    { readonly gap: Gap | undefined; readonly atMs: number; readonly overrides: readonly OverrideSpan[] }
  >();

  get schedules(): ReadonlyMap<string, OnCallSchedule> {
    return this.#schedules;
  }

  get people(): ReadonlyMap<string, PersonDefinition> {
    return this.#people;
  }

  replace(
    schedules: ReadonlyMap<string, ScheduleDefinition> = new Map(),
    people: ReadonlyMap<string, PersonDefinition> = new Map(),
  ): void {
    this.#schedules = new Map([...schedules].map(([name, schedule]) => [name, parseOnCallSchedule(name, schedule)]));
    this.#people = people;
    this.#periods.clear();
    this.#gaps.clear();
  }

  /** Sets the source of the overrides and of the time. */
  useInputs(inputs: OnCallInputs): void {
    this.#inputs = inputs;
    this.#periods.clear();
    this.#gaps.clear();
  }

  /** Returns the overrides of a schedule in the order of their creation. */
  overridesOf(schedule: string): readonly OverrideSpan[] {
    return this.#inputs.overridesOf(schedule);
  }

  /** Returns who is on call for a schedule now; undefined if nobody is. */
  current(schedule: OnCallSchedule): OnCall | undefined {
    const nowMs = this.#inputs.now();
    const overrides = this.overridesOf(schedule.name);
    const cached = this.#periods.get(schedule.name);
    if (cached?.overrides === overrides && cached.sinceMs <= nowMs && nowMs < cached.validUntilMs) return cached.onCall;
    const period = { ...currentAssignment(schedule, overrides, nowMs), sinceMs: nowMs, overrides };
    this.#periods.set(schedule.name, period);
    return period.onCall;
  }

  /** Returns the current or the next time within seven days in which nobody is on call for a schedule. */
  nextGap(schedule: OnCallSchedule): Gap | undefined {
    const nowMs = this.#inputs.now();
    const overrides = this.overridesOf(schedule.name);
    const cached = this.#gaps.get(schedule.name);
    const isRecent = cached !== undefined && cached.atMs <= nowMs && nowMs < cached.atMs + GAP_CACHE_MS;
    if (isRecent && cached.overrides === overrides && (cached.gap === undefined || nowMs < cached.gap.untilMs)) {
      return cached.gap;
    }
    const [gap] = gapsBetween(schedule, overrides, nowMs, nowMs + GAP_DAYS * DAY_MS);
    this.#gaps.set(schedule.name, { gap, atMs: nowMs, overrides });
    return gap;
  }

  /** Returns the handlers that `on-call/NAME` stands for now; undefined if there is no such schedule. */
  target(name: string): OnCallTarget | undefined {
    const schedule = this.#schedules.get(name);
    if (schedule === undefined) return undefined;
    const onCall = this.current(schedule);
    const reason = onCallReason(schedule, onCall);
    const everyone = new Set([
      ...schedule.layers.flatMap(({ people }) => people),
      ...this.overridesOf(name).map(({ person }) => person),
    ]);
    return {
      handlers: onCall === undefined ? NO_ENTRIES : this.#handlersOf(onCall.person),
      everyone: [...new Set([...everyone].flatMap((person) => this.#handlersOf(person)))],
      reason:
        onCall !== undefined && !this.#people.has(onCall.person) ? `${reason}, who is not defined in people` : reason,
    };
  }

  #handlersOf(person: string): readonly string[] {
    return this.#people.get(person)?.notify ?? NO_ENTRIES;
  }
}
