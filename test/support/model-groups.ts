/*
 * A second implementation of grouping for comparison: which events a handler with `group_by` is notified of together,
 * and when. It is written only from the specification (grouping 1 to 3), and does not model limits.
 */

/** The times of the handler's groups in milliseconds. */
interface Times {
  readonly wait: number;
  readonly interval: number;
  readonly repeat: number;
}

/**
 * The last notification of the handler: a status; `once more` if it must be notified again; `held` if an inhibition
 * suppresses the event; `undefined` if it was never notified.
 */
type LastNotification = number | 'once more' | 'held' | undefined;

interface Member {
  readonly client: string;
  readonly check: string;
  group: string;
  eventId: string;
  status: number;
  occurrences: number;
  isOver: boolean;
  lastNotification: LastNotification;
}

interface Group {
  untoldSince: number | undefined;
  nextFlushMs: number | undefined;
  notifiedMs: number | undefined;
}

/** An event that is added to the groups of a handler. */
export interface GivenEvent {
  readonly client: string;
  readonly check: string;
  /** Key of the event's group. */
  readonly group: string;
  readonly eventId: string;
  readonly status: number;
  readonly occurrences: number;
  readonly isResolve: boolean;
  /** True if the event is added because the silence that suppressed it has ended. */
  readonly isSilenceEnd: boolean;
}

/** The state of an event at the time when its group is flushed. */
export type Standing = 'open' | 'gone' | 'silenced' | 'inhibited';

const SEVERITIES = ['ok', 'warning', 'critical'];
const WORST_FIRST = ['critical', 'unknown', 'warning', 'ok'];

export class ModelGroups {
  times: Times;
  readonly #groups = new Map<string, Group>();
  readonly #members = new Map<string, Member>();

  constructor(times: Times) {
    this.times = times;
  }

  give(event: GivenEvent, nowMs: number): void {
    const place = `${event.client}/${event.check}`;
    const before = this.#members.get(place);
    const wasTold = before !== undefined && before.lastNotification !== undefined && before.lastNotification !== 'held';
    if (event.isResolve && before !== undefined && !before.isOver && !wasTold) {
      // The event resolved before the handler was notified, so it is removed without a notification.
      this.#members.delete(place);
      this.#drop(before.group);
      return;
    }
    const told = wasTold ? before.lastNotification : undefined;
    const member: Member = {
      client: event.client,
      check: event.check,
      group: event.group,
      eventId: event.eventId,
      status: event.status,
      occurrences: event.occurrences,
      isOver: event.isResolve,
      lastNotification: event.isSilenceEnd && told !== undefined ? 'once more' : told,
    };
    this.#members.set(place, member);
    const from = before === undefined ? undefined : this.#groups.get(before.group);
    const group = this.#groups.get(event.group) ?? {
      untoldSince: undefined,
      nextFlushMs: from?.nextFlushMs,
      notifiedMs: from?.notifiedMs,
    };
    this.#groups.set(event.group, group);
    if (changeOf(member) !== 'same') group.untoldSince ??= nowMs;
    if (before !== undefined) this.#drop(before.group);
  }

  /** Removes an open event that has resolved, if its resolution is not notified. */
  dropOpen(place: string, eventId: string): void {
    const member = this.#members.get(place);
    if (member === undefined || member.isOver || member.eventId !== eventId) return;
    this.#members.delete(place);
    this.#drop(member.group);
  }

  /** True if the handler was notified of this event, false if not; `undefined` if no group contains the event. */
  knows(place: string): boolean | undefined {
    const member = this.#members.get(place);
    return member && member.lastNotification !== undefined && member.lastNotification !== 'held';
  }

  /** True if a group contains this event and the event is open. */
  has(place: string): boolean {
    return this.#members.get(place)?.isOver === false;
  }

  /**
   * Merges two events after the rename of their check. The event under the new name remains, and counts as notified if
   * either of them was.
   */
  join(before: string, after: string, eventId: string): void {
    const member = this.#members.get(after);
    if (member === undefined || member.isOver) return;
    member.eventId = eventId;
    member.lastNotification = toldByEither(member.lastNotification, this.#members.get(before)?.lastNotification);
    this.#members.delete(before);
  }

  /**
   * Moves the event of the old name, open or resolved, to the new name. If both names have an event, an open event has
   * priority over a pending resolution, and a pending resolution over a new event.
   *
   * @param openId id of the event that is open under the new name; `undefined` if there is none
   */
  rename(
    before: string,
    after: string,
    { check, openId }: { readonly check: string; readonly openId: string | undefined },
    nowMs: number,
  ): void {
    const member = this.#members.get(before);
    const present = this.#members.get(after);
    if (member === undefined) return;
    if (present !== undefined && member.eventId !== openId && (present.isOver || member.isOver)) return;
    this.#members.delete(before);
    const moved = { ...member, check, told: toldByEither(member.lastNotification, present?.lastNotification) };
    this.#members.set(after, moved);
    const group = this.#groups.get(moved.group);
    if (group !== undefined && moved.told !== 'held' && changeOf(moved) !== 'same') group.untoldSince ??= nowMs;
    if (present !== undefined) this.#drop(present.group);
  }

  /** Returns the times in epoch milliseconds at which the groups are flushed next. */
  moments(): number[] {
    return [...this.#groups.values()].map((group) => this.#dueAt(group));
  }

  /**
   * Flushes all groups that are due.
   *
   * @returns the notifications, as text
   */
  flushDueGroups(nowMs: number, standingOf: (member: Member) => Standing): string[] {
    return [...this.#groups].flatMap(([name, group]) =>
      this.#dueAt(group) <= nowMs ? this.#flushGroup(name, group, nowMs, standingOf) : [],
    );
  }

  /**
   * Ends grouping: notifies of each pending event separately.
   *
   * @returns the notifications, as text
   */
  dissolve(): string[] {
    return [...this.#members.values()]
      .filter((member) => member.lastNotification !== 'held' && changeOf(member) !== 'same')
      .map(
        ({ client, check, isOver, status }) => `${client}/${check} ${isOver ? 'resolve' : 'create'} ${String(status)}`,
      );
  }

  /**
   * Returns the expected response to `GET /api/mon/v1/handler-groups`, without the values that only a backend knows.
   */
  rows(): unknown[] {
    return [...this.#groups].map(([by, group]) => {
      const shown = this.#of(by).filter(({ lastNotification }) => lastNotification !== 'held');
      return {
        by,
        firing: shown.filter(({ isOver }) => !isOver).length,
        pending: shown.filter((member) => changeOf(member) !== 'same').length,
        notified_at: group.notifiedMs === undefined ? null : Math.floor(group.notifiedMs / 1000),
        due_at: Math.ceil(this.#dueAt(group) / 1000),
      };
    });
  }

  #flushGroup(name: string, group: Group, nowMs: number, standingOf: (member: Member) => Standing): string[] {
    const shown: Member[] = [];
    const gone: Member[] = [];
    let hasUntold = false;
    for (const member of this.#of(name)) {
      const standing = member.isOver ? 'open' : standingOf(member);
      if (standing === 'gone') gone.push(member);
      else if (standing === 'open' && member.lastNotification !== 'held') shown.push(member);
      else if (
        standing === 'inhibited' &&
        (member.lastNotification === undefined || member.lastNotification === 'held')
      )
        member.lastNotification = 'held';
      else if (member.lastNotification !== 'held' && changeOf(member) !== 'same') hasUntold = true;
    }
    const isNews = shown.some((member) => changeOf(member) !== 'same');
    const { repeat } = this.times;
    const isRepeat =
      group.notifiedMs !== undefined && group.notifiedMs + repeat <= nowMs && shown.some(({ isOver }) => !isOver);
    const said = isNews || isRepeat ? [messageOf(name, isNews ? 'change' : 'repeat', shown)] : [];
    if (said.length > 0) {
      group.notifiedMs = nowMs;
      for (const member of shown) {
        if (member.isOver) gone.push(member);
        else member.lastNotification = member.status;
      }
    }
    group.nextFlushMs = nowMs;
    group.untoldSince = hasUntold ? nowMs : undefined;
    for (const { client, check } of gone) this.#members.delete(`${client}/${check}`);
    this.#drop(name);
    return said;
  }

  #dueAt({ untoldSince, nextFlushMs, notifiedMs }: Group): number {
    const { wait, interval, repeat } = this.times;
    const rested = nextFlushMs === undefined ? 0 : nextFlushMs + interval;
    return Math.max(untoldSince === undefined ? (notifiedMs ?? nextFlushMs ?? 0) + repeat : untoldSince + wait, rested);
  }

  #of(name: string): Member[] {
    return [...this.#members.values()].filter(({ group }) => group === name);
  }

  #drop(name: string): void {
    if (this.#of(name).length === 0) this.#groups.delete(name);
  }
}

function toldByEither(first: LastNotification, second: LastNotification): LastNotification {
  const isUntold = (told: LastNotification): boolean => told === undefined || told === 'held';
  return isUntold(first) && !isUntold(second) ? second : first;
}

function changeOf({ isOver, lastNotification, status }: Member): 'new' | 'changed' | 'resolved' | 'same' {
  if (isOver) return 'resolved';
  if (lastNotification === undefined || lastNotification === 'held') return 'new';
  return lastNotification === status ? 'same' : 'changed';
}

/**
 * Returns the text of a notification: first new and changed events, the most severe first, then resolved events, then
 * unchanged ones.
 */
function messageOf(name: string, cause: string, shown: readonly Member[]): string {
  const rank = (member: Member): number => {
    const change = changeOf(member);
    const severity = WORST_FIRST.indexOf(severityOf(member.status));
    return change === 'resolved' ? 10 : change === 'same' ? 20 + severity : severity;
  };
  const order = (a: Member, b: Member): number =>
    rank(a) - rank(b) || compare(a.client, b.client) || compare(a.check, b.check);
  const open = new Set(shown.filter(({ isOver }) => !isOver).map(({ status }) => severityOf(status)));
  const worst = WORST_FIRST.find((severity) => open.has(severity)) ?? 'ok';
  const events = shown
    .toSorted(order)
    .map((member) => `${member.client}/${member.check} ${changeOf(member)} ${String(member.status)}`);
  return `group ${name}, ${cause}, ${worst}: ${events.join(', ')}`;
}

function severityOf(status: number): string {
  return SEVERITIES[status] ?? 'unknown';
}

function compare(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
