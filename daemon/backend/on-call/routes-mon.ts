import type { FastifyRequest } from 'fastify';
import { MON_API } from '../../../shared/api/mon.ts';
import { calendarText } from '../../../shared/domain/on-call/calendar.ts';
import { CALCULATED_DAYS_MAX, shiftsBetween } from '../../../shared/domain/on-call/on-call-at.ts';
import type { OnCallSchedule } from '../../../shared/domain/on-call/schedule.ts';
import { scheduleSpans, scheduleView } from '../../../shared/domain/on-call/views.ts';
import { MonError } from '../../../shared/errors.ts';
import type { Actor } from '../../../shared/schemas/audit.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { ScheduleView } from '../../../shared/schemas/on-call.ts';
import { SHIFT_DAYS } from '../../../shared/schemas/shift-days.ts';
import { actorOf } from '../access/actor.ts';
import { creatorOf } from '../access/principal.ts';
import { bodyValidator, readBody } from '../http/json-body.ts';
import { sendList } from '../http/list.ts';
import { pathName } from '../http/path-name.ts';
import type { MonHandlers } from '../http/route.ts';
import type { Definitions } from '../model/config/definitions.ts';
import { overridesOf } from '../model/on-call/state.ts';
import { requestedNamespace, type NamespaceDependencies } from '../namespaces/request-namespaces.ts';
import type { Clock } from '../ports.ts';
import { noSchedule, type OnCallOverrides } from './commands.ts';

const DAY_MS = 86_400_000;
/** Number of days before now that a calendar contains. */
const CALENDAR_PAST_DAYS = 14;

const validateOverride = bodyValidator(MON_API.createOverride);
const validateSwap = bodyValidator(MON_API.swapShifts);

interface OnCallDependencies extends NamespaceDependencies {
  readonly definitions: Definitions;
  readonly onCallOverrides: OnCallOverrides;
  readonly clock: Clock;
}

/** Serves schedules, their calendars and their overrides. Schedules exist only in the namespace `default`. */
export function schedulesOnMon(
  deps: OnCallDependencies,
): MonHandlers<'schedules' | 'schedule' | 'scheduleCalendar' | 'createOverride' | 'swapShifts' | 'deleteOverride'> {
  const { definitions, registry, onCallOverrides, clock } = deps;
  const { onCall } = definitions;
  const spansOf = (name: string) => overridesOf(registry).spansOf(name);

  const viewAt = (schedule: OnCallSchedule, atMs: number): ScheduleView =>
    scheduleView(schedule, spansOf(schedule.name), { atMs, isReachable: (person) => isReachable(definitions, person) });

  const detailAt = (schedule: OnCallSchedule, atMs: number, days: number): object => ({
    ...viewAt(schedule, atMs),
    ...scheduleSpans(schedule, spansOf(schedule.name), atMs, atMs + days * DAY_MS),
    overrides: overridesOf(registry)
      .sorted(schedule.name)
      .filter(({ until }) => until * 1000 > atMs),
  });

  const requestedSchedule = (request: FastifyRequest): OnCallSchedule => {
    const { name: namespace } = requestedNamespace(request, deps);
    const name = pathName(request, 'schedule');
    const schedule = namespace === DEFAULT_NAMESPACE ? onCall.schedules.get(name) : undefined;
    if (schedule === undefined) throw noSchedule(name);
    return schedule;
  };

  return {
    schedules: (request, reply, { at, days }) => {
      const { name: namespace } = requestedNamespace(request, deps);
      const atMs = Math.floor((at ?? clock.now()) / 1000) * 1000;
      if (days !== undefined) refuseDays(days);
      const schedules = namespace === DEFAULT_NAMESPACE ? [...onCall.schedules.values()] : [];
      return sendList(request, reply, schedules, (some) =>
        some.map((schedule) => (days === undefined ? viewAt(schedule, atMs) : detailAt(schedule, atMs, days))),
      );
    },
    schedule: (request, _reply, { days = SHIFT_DAYS.default }) => {
      const schedule = requestedSchedule(request);
      refuseDays(days);
      return detailAt(schedule, Math.floor(clock.now() / 1000) * 1000, days);
    },
    scheduleCalendar: (request, reply) => {
      const schedule = requestedSchedule(request);
      const nowMs = clock.now();
      const fromMs = (Math.floor(nowMs / DAY_MS) - CALENDAR_PAST_DAYS) * DAY_MS;
      const shifts = shiftsBetween(schedule, spansOf(schedule.name), fromMs, fromMs + CALCULATED_DAYS_MAX * DAY_MS);
      return reply.type('text/calendar; charset=utf-8').send(calendarText(schedule.name, shifts, nowMs));
    },
    createOverride: async (request, reply) => {
      const { name } = requestedSchedule(request);
      const submitted = readBody(request, validateOverride);
      const { by, actor } = operatorOf(request, submitted.by);
      return reply.send(await onCallOverrides.create(name, submitted, by, actor));
    },
    swapShifts: async (request, reply) => {
      const { name } = requestedSchedule(request);
      const submitted = readBody(request, validateSwap);
      const { by, actor } = operatorOf(request, submitted.by);
      return reply.send({ overrides: await onCallOverrides.swap(name, submitted, by, actor) });
    },
    deleteOverride: async (request, reply) => {
      requestedNamespace(request, deps);
      await onCallOverrides.remove(pathName(request, 'schedule'), pathName(request, 'id'), actorOf(request));
      return reply.send();
    },
  };
}

function refuseDays(days: number): void {
  if (days >= SHIFT_DAYS.min && days <= SHIFT_DAYS.max) return;
  throw new MonError('invalid', `days: must be from ${String(SHIFT_DAYS.min)} to ${String(SHIFT_DAYS.max)}`);
}

/** Returns the user who changes a schedule, as shown with the change and in the audit trail. */
function operatorOf(
  request: FastifyRequest,
  submitted: string | null | undefined,
): { readonly by: string; readonly actor: Actor } {
  const actor = actorOf(request, submitted);
  return { by: creatorOf(request.principal, submitted) ?? actor.who, actor };
}

/** True if a person is defined and has at least one defined handler. */
function isReachable(definitions: Definitions, person: string): boolean {
  const handlers = definitions.inNamespace(DEFAULT_NAMESPACE);
  return definitions.onCall.people.get(person)?.notify.some((name) => handlers.hasHandler(name)) === true;
}
