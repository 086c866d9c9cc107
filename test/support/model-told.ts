import { ModelGroups, type GivenEvent, type Standing } from './model-groups.ts';

/*
 * A second implementation of notifications for comparison: which handlers are notified of an event. It is written only
 * from the specification (handlers, inhibition, grouping).
 */

type Body = Readonly<Record<string, unknown>>;

/** The notification state that is stored with an open event. */
export interface ModelMarks {
  /** True if a silence has suppressed its notifications. */
  isSuppressed: boolean;
  /** True if an inhibition has suppressed all its notifications since its first result. */
  isHeld: boolean;
  /** Mark of the inhibition rule that applied when the event was last handled; `undefined` if none did. */
  quietBy: string | undefined;
  /** Handlers whose notification an inhibition suppresses at present. */
  suppressedHandlers: readonly string[];
  /**
   * Handlers whose notification an inhibition has suppressed, and which no result has named since the inhibition ended.
   */
  pendingHandlers: readonly string[];
  /** True if its silence has ended, and its next result notifies the handlers that were suppressed. */
  isNextTold: boolean;
  /** Handlers that were notified of the event. */
  notified: readonly string[];
}

/** A resolution that is notified when the silence ends that suppresses it. */
interface ModelResolution {
  readonly occasion: ModelOccasion;
  readonly handlers: readonly string[];
}

/** Returns the notification state of a new event. */
export const newMarks = (): ModelMarks => ({
  isSuppressed: false,
  isHeld: false,
  quietBy: undefined,
  suppressedHandlers: [],
  pendingHandlers: [],
  isNextTold: false,
  notified: [],
});

/**
 * Merges the states of two events after the rename of their check: a notification, or a pending one, of either event
 * counts.
 */
export function joinedMarks(before: ModelMarks, after: ModelMarks, check: Body): ModelMarks {
  const isHeld = before.isHeld && after.isHeld;
  const notified = [...new Set([...before.notified, ...after.notified])];
  const all = {
    ...after,
    isHeld,
    notified,
    withheldFrom: [...before.suppressedHandlers, ...before.pendingHandlers, ...after.suppressedHandlers],
  };
  return after.quietBy === undefined ? { ...all, ...freed(all, namedBy(check)) } : all;
}

/** Moves the pending handlers back to the suppressed ones, because the event is inhibited again. */
function owe(marks: ModelMarks): void {
  marks.suppressedHandlers = [...new Set([...marks.suppressedHandlers, ...marks.pendingHandlers])];
  marks.pendingHandlers = [];
}

function namedBy(check: Body): readonly string[] {
  const wanted: unknown = check['handlers'] ?? ['default'];
  return HANDLERS.filter((name) => Array.isArray(wanted) && wanted.includes(name));
}

/**
 * Returns the handlers that are suppressed and pending after an inhibition has ended.
 *
 * @param named handlers that the result names, and which are therefore notified now
 */
function freed(
  { suppressedHandlers: withheldFrom, pendingHandlers: owed }: ModelMarks,
  named: readonly string[],
): Pick<ModelMarks, 'suppressedHandlers' | 'pendingHandlers'> {
  return {
    suppressedHandlers: [],
    pendingHandlers: [...withheldFrom, ...owed].filter((name) => !named.includes(name)),
  };
}

/** A result, or the end of a silence, for which handlers may be notified of an event. */
export interface ModelOccasion {
  readonly client: { readonly name: string; readonly subscriptions: readonly string[] };
  readonly check: { readonly name: string };
  readonly eventId: string;
  readonly action: 'create' | 'flapping' | 'resolve';
  readonly status: number;
  readonly occurrences: number;
  readonly isNew: boolean;
  /** True if the occasion is the end of a silence, without a new result. */
  readonly isSilenceEnd: boolean;
  readonly silencedBy: readonly string[];
  readonly marks: ModelMarks;
}

/** The attributes of an event that inhibition rules evaluate. */
export type ModelHeard = Pick<ModelOccasion, 'client' | 'check' | 'status' | 'occurrences'>;

/** An inhibition rule of the configuration (inhibition 1). */
export interface ModelInhibition {
  readonly name: string;
  /** Text that is different for rules with different content. */
  readonly mark: string;
  readonly source: (event: ModelHeard) => boolean;
  readonly target: (event: ModelHeard) => boolean;
  readonly common: (event: ModelHeard) => string;
}

export interface ModelHandlers {
  readonly inhibitions: readonly ModelInhibition[];
  /**
   * Returns the group key of a client for the handler `default`, which has `group_by`. The other handler, `each`, gets
   * each event separately, and also flapping ones.
   */
  readonly groupOf: (client: object) => string;
  /** Times of the groups in milliseconds; `undefined` if the handler `default` does not group. */
  readonly times: { readonly wait: number; readonly interval: number; readonly repeat: number } | undefined;
}

interface Inhibitor {
  readonly mark: string;
  readonly client: string;
  readonly check: string;
  readonly common: string;
}

const HANDLERS = ['each', 'default'];

export class ModelTold {
  #handlers: ModelHandlers;
  /** Callback that counts a suppressed notification for the silences that suppressed it. */
  readonly #countSuppressed: (silences: readonly string[], nowMs: number) => void;
  #groups: ModelGroups | undefined;
  #inhibitors: Inhibitor[] = [];
  /** Pending resolutions by client and check. */
  readonly #resolutions = new Map<string, ModelResolution>();
  /** Events in the form in which the groups got them, by client and check. */
  readonly #given = new Map<string, ModelOccasion>();
  #notifications: string[] = [];

  constructor(handlers: ModelHandlers, keepsBack: (silences: readonly string[], nowMs: number) => void) {
    this.#handlers = handlers;
    this.#countSuppressed = keepsBack;
    this.#groups = handlers.times && new ModelGroups(handlers.times);
  }

  /** Returns the notifications since the last call, as text. */
  takeNotifications(): string[] {
    const said = this.#notifications;
    this.#notifications = [];
    return said;
  }

  /** Records the notifications of `count` reminders, which the handler `each` gets (reminder 3). */
  reminders(count: number): void {
    for (let at = 0; at < count; at++) this.#notifications.push('mon/silence-reminder create 1');
  }

  /**
   * Notifies of the events that resolved while they were silenced, if no silence suppresses them any longer.
   *
   * @param isSilenced callback that returns true if a silence still suppresses the notification
   * @param only client and check as `client/check`; default: all events
   */
  resolutions(isSilenced: (occasion: ModelOccasion) => boolean, nowMs: number, only?: string): void {
    for (const [place, { occasion, handlers }] of this.#resolutions) {
      if ((only !== undefined && only !== place) || isSilenced(occasion)) continue;
      this.#resolutions.delete(place);
      for (const handler of handlers) {
        if (handler === 'default' && this.#groups !== undefined) this.#give(occasion, false, nowMs);
        else this.#notifications.push(`${place} resolve ${String(occasion.status)}`);
      }
    }
  }

  occasion(occasion: ModelOccasion, nowMs: number): void {
    this.#occasion(occasion, nowMs);
    const { client, check, action, eventId } = occasion;
    if (action === 'resolve') this.#groups?.dropOpen(`${client.name}/${check.name}`, eventId);
  }

  #occasion(occasion: ModelOccasion, nowMs: number): void {
    const { action, check, marks, silencedBy } = occasion;
    if (!occasion.isSilenceEnd) this.#noteInhibitor(occasion);
    // A resolution reaches the group that contains the event, even if the result does not name the handler (grouping
    // 2).
    const isOfGroup = action === 'resolve' && this.#groups?.has(`${occasion.client.name}/${check.name}`) === true;
    const named = namedBy(check);
    const handlers = HANDLERS.filter((name) => named.includes(name) || (name === 'default' && isOfGroup));
    if (handlers.length === 0 || (check as Body)['handle'] === false) {
      if (occasion.isSilenceEnd) marks.isSuppressed = false;
      else Object.assign(marks, { isHeld: false, quietBy: undefined, ...freed(marks, []) });
      return;
    }
    const inhibitor = action === 'resolve' ? undefined : this.#inhibitorOf(occasion);
    const isQuiet = action === 'resolve' ? marks.isHeld : inhibitor !== undefined;
    // The next result notifies all handlers that the silence or the inhibition suppressed (inhibition 2).
    marks.isNextTold = occasion.isSilenceEnd && marks.suppressedHandlers.length > 0 && !isQuiet;
    if (marks.isNextTold) return;
    marks.isHeld = isQuiet && (occasion.isNew || marks.isHeld);
    marks.quietBy = inhibitor?.mark;
    if (isQuiet) owe(marks);
    else Object.assign(marks, freed(marks, handlers));
    const isFreed = marks.isSuppressed && silencedBy.length === 0 && action !== 'resolve';
    let hasRun = false;
    const place = `${occasion.client.name}/${check.name}`;
    const deferred: string[] = [];
    for (const handler of handlers) {
      const isGrouping = handler === 'default' && this.#groups !== undefined;
      if (handler === 'default' && action === 'flapping') continue;
      if (isGrouping && occasion.status === 0 && action !== 'resolve') continue;
      if (isQuiet) {
        marks.suppressedHandlers = [...new Set([...marks.suppressedHandlers, handler])];
        continue;
      }
      if (silencedBy.length > 0) {
        this.#countSuppressed(silencedBy, nowMs);
        marks.isSuppressed = true;
        const inGroup = handler === 'default' ? this.#groups?.knows(place) : undefined;
        const isKnown = inGroup ?? marks.notified.includes(handler);
        if (action === 'resolve' && isKnown) deferred.push(handler);
        continue;
      }
      hasRun = true;
      if (action !== 'resolve') marks.notified = [...new Set([...marks.notified, handler])];
      if (isGrouping) this.#give(occasion, isFreed, nowMs);
      else this.#notifications.push(`${occasion.client.name}/${check.name} ${action} ${String(occasion.status)}`);
    }
    if (deferred.length > 0) this.#resolutions.set(place, { occasion, handlers: deferred });
    if (occasion.isSilenceEnd || isFreed || hasRun) marks.isSuppressed = false;
  }

  /**
   * Applies another configuration (inhibition 4, grouping 4).
   *
   * @param open all open events, as if each occurred now
   */
  reload(handlers: ModelHandlers, open: readonly ModelOccasion[], nowMs: number): void {
    const before = new Set(this.#handlers.inhibitions.map(({ mark }) => mark));
    const inForce = new Set(handlers.inhibitions.map(({ mark }) => mark));
    const fresh = handlers.inhibitions.filter(({ mark }) => !before.has(mark));
    this.#regroup(handlers.times);
    this.#handlers = handlers;
    this.#inhibitors = this.#inhibitors.filter(({ mark }) => inForce.has(mark));
    // A flapping event whose status is OK inhibits nothing; results follow the same rule.
    const failing = open.filter(({ status }) => status !== 0);
    for (const rule of fresh) for (const event of failing) if (rule.source(event)) this.#note(rule, event);
    for (const event of open) {
      const { marks } = event;
      if (marks.quietBy === undefined || inForce.has(marks.quietBy)) continue;
      const inhibitor = this.#inhibitorOf(event);
      if (inhibitor !== undefined) marks.quietBy = inhibitor.mark;
      else if (marks.suppressedHandlers.length > 0) this.occasion(event, nowMs);
      else Object.assign(marks, { quietBy: undefined, isHeld: false });
    }
    const freshMarks = new Set(fresh.map(({ mark }) => mark));
    for (const event of open) {
      const inhibitor = this.#inhibitorOf(event);
      if (inhibitor === undefined || !freshMarks.has(inhibitor.mark)) continue;
      event.marks.quietBy = inhibitor.mark;
      owe(event.marks);
    }
  }

  #regroup(times: ModelHandlers['times']): void {
    if (times === undefined) {
      this.#notifications.push(...(this.#groups?.dissolve() ?? []));
      this.#groups = undefined;
    } else if (this.#groups === undefined) this.#groups = new ModelGroups(times);
    else this.#groups.times = times;
  }

  /** Moves to a new backend, which knows only the open events of a dump. */
  moved(open: readonly ModelOccasion[]): void {
    const { times } = this.#handlers;
    this.#groups = times && new ModelGroups(times);
    this.#given.clear();
    this.#resolutions.clear();
    this.#inhibitors = [];
    for (const event of open) this.#noteInhibitor(event);
  }

  /** Records a restored event as an inhibitor, without notifying handlers. */
  restored(event: ModelOccasion): void {
    this.#noteInhibitor(event);
  }

  /** Removes an event from the inhibitors, because it has resolved or was deleted. */
  removeInhibitor(client: string, check: string): void {
    this.#inhibitors = this.#inhibitors.filter((one) => one.client !== client || one.check !== check);
  }

  /**
   * Renames a check of a client (inhibition 3, grouping 2).
   *
   * @param event the event that is open under the new name; `undefined` if there is none
   * @param joins `undefined` if the new name was unused; `open` if events were open under both names, otherwise `other`
   */
  renamed(
    names: { readonly client: string; readonly from: string; readonly to: string },
    { event, joins }: { readonly event: ModelOccasion | undefined; readonly joins: 'open' | 'other' | undefined },
    nowMs: number,
  ): void {
    const { client, from, to } = names;
    this.removeInhibitor(client, from);
    if (event !== undefined) this.#noteInhibitor(event);
    const before = `${client}/${from}`;
    const after = `${client}/${to}`;
    const resolution = this.#resolutions.get(before);
    if (resolution !== undefined && !this.#resolutions.has(after)) {
      this.#resolutions.delete(before);
      const { occasion, handlers } = resolution;
      this.#resolutions.set(after, { occasion: { ...occasion, check: { ...occasion.check, name: to } }, handlers });
    }
    if (joins === 'other') return;
    const given = this.#given.get(before);
    const isThere = joins === 'open' && this.#groups?.has(after) === true;
    if (given !== undefined && !isThere) {
      this.#given.set(after, { ...given, check: { ...given.check, name: to } });
    }
    this.#given.delete(before);
    if (joins === 'open' && event !== undefined) this.#groups?.join(before, after, event.eventId);
    this.#groups?.rename(before, after, { check: to, openId: event?.eventId }, nowMs);
  }

  moments(): number[] {
    return this.#groups?.moments() ?? [];
  }

  /**
   * Flushes the groups that are due.
   *
   * @param standingOf callback that returns whether an event is open, gone or silenced
   */
  flushDueGroups(
    nowMs: number,
    standingOf: (event: Pick<GivenEvent, 'client' | 'check' | 'eventId'>) => Exclude<Standing, 'inhibited'>,
  ): void {
    const groups = this.#groups;
    if (groups === undefined) return;
    this.#notifications.push(
      ...groups.flushDueGroups(nowMs, (event) => {
        const standing = standingOf(event);
        if (standing !== 'open') return standing;
        const given = this.#given.get(`${event.client}/${event.check}`);
        return given !== undefined && this.#inhibitorOf(given) !== undefined ? 'inhibited' : 'open';
      }),
    );
  }

  groups(): unknown[] {
    return this.#groups?.rows() ?? [];
  }

  /** Returns the events that inhibit others, by rule, in the form of `GET /api/mon/v1/inhibitions`. */
  inhibitors(): Readonly<Record<string, readonly string[]>> {
    return Object.fromEntries(
      this.#handlers.inhibitions.map(({ name, mark }) => [
        name,
        this.#inhibitors
          .filter((one) => one.mark === mark)
          .map(({ client, check }) => `${client}/${check}`)
          .toSorted(),
      ]),
    );
  }

  #give(occasion: ModelOccasion, isFreed: boolean, nowMs: number): void {
    const { client, check, eventId, action, status, occurrences } = occasion;
    this.#given.set(`${client.name}/${check.name}`, occasion);
    const given = { client: client.name, check: check.name, eventId, status, occurrences };
    const group = this.#handlers.groupOf(client);
    this.#groups?.give({ ...given, group, isResolve: action === 'resolve', isSilenceEnd: isFreed }, nowMs);
  }

  #noteInhibitor(occasion: ModelOccasion): void {
    const { client, check, action, status } = occasion;
    this.removeInhibitor(client.name, check.name);
    if (action === 'resolve' || status === 0) return;
    for (const rule of this.#handlers.inhibitions) if (rule.source(occasion)) this.#note(rule, occasion);
  }

  #note({ mark, common }: ModelInhibition, event: ModelHeard): void {
    this.#inhibitors.push({ mark, client: event.client.name, check: event.check.name, common: common(event) });
  }

  #inhibitorOf(occasion: ModelHeard): Inhibitor | undefined {
    const { client, check } = occasion;
    for (const rule of this.#handlers.inhibitions) {
      // An event that inhibits others by a rule is not inhibited by the same rule.
      if (!rule.target(occasion) || rule.source(occasion)) continue;
      const common = rule.common(occasion);
      const found = this.#inhibitors.find(
        (one) =>
          one.mark === rule.mark && one.common === common && (one.client !== client.name || one.check !== check.name),
      );
      if (found !== undefined) return found;
    }
    return undefined;
  }
}
