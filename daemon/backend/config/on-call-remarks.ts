import { BUILT_IN_NAMES } from '../../../shared/domain/built-in.ts';
import { sharedChatUsers } from '../../../shared/domain/chat/chat-user.ts';
import { gapsBetween } from '../../../shared/domain/on-call/on-call-at.ts';
import { parseOnCallSchedule } from '../../../shared/domain/on-call/schedule.ts';
import { localTimeText } from '../../../shared/domain/on-call/words.ts';
import { ON_CALL_LIMITS, onCallScheduleOf } from '../../../shared/schemas/on-call.ts';
import type { Remark } from '../../settings/remark.ts';
import { GAP_DAYS } from '../model/on-call/directory.ts';
import type { ValidDefinitions } from '../model/config/valid-definitions.ts';

type OnCallSections = Pick<ValidDefinitions, 'people' | 'schedules' | 'handlers'>;

/** Yields problems of people and schedules. Each problem rejects the whole configuration. */
export function* onCallProblems({ people, schedules }: OnCallSections): Generator<Remark> {
  for (const [section, size, max] of [
    ['people', people.size, ON_CALL_LIMITS.people],
    ['schedules', schedules.size, ON_CALL_LIMITS.schedules],
  ] as const) {
    if (size > max) yield { path: [section], message: `must contain at most ${String(max)} definitions` };
  }
  for (const [name, { layers }] of schedules) {
    for (const [at, layer] of layers.entries()) {
      for (const person of new Set(layer.people)) {
        if (people.has(person)) continue;
        yield {
          path: ['schedules', name, 'layers', String(at), 'people'],
          message: `refers to the person "${person}", who is not defined in people`,
        };
      }
    }
  }
  for (const { person, other, service } of sharedChatUsers(people)) {
    yield {
      path: ['people', person, 'chat', service],
      message: `is also the chat user of ${other}: remove one of them`,
    };
  }
  for (const [name, { notify }] of people) {
    if (notify.every((handler) => onCallScheduleOf(handler) === undefined)) continue;
    yield { path: ['people', name, 'notify'], message: 'must name handlers, not schedules' };
  }
}

const DAY_MS = 86_400_000;

/**
 * Yields warnings about people without a defined handler, and about schedules with a time in the next seven days in
 * which nobody is on call.
 */
export function* onCallWarnings({ people, schedules, handlers }: OnCallSections, nowMs: number): Generator<Remark> {
  for (const [name, { notify }] of people) {
    for (const handler of new Set(notify)) {
      if (handlers.has(handler) || BUILT_IN_NAMES.handlers.has(handler)) continue;
      yield { path: ['people', name, 'notify'], message: `refers to the handler "${handler}", which is not defined` };
    }
  }
  for (const [name, definition] of schedules) {
    const schedule = parseOnCallSchedule(name, definition);
    const [gap] = gapsBetween(schedule, [], nowMs, nowMs + GAP_DAYS * DAY_MS);
    if (gap === undefined) continue;
    const [from, until] = [localTimeText(gap.fromMs, schedule.zone), localTimeText(gap.untilMs, schedule.zone)];
    yield {
      path: ['schedules', name],
      message: `has a gap: nobody is on call from ${from} until ${until}, unless an override fills it`,
    };
  }
}
