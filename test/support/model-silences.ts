import { idleDueAt, idleLookFrom, type ModelIdleMark, type ModelIdleness, type ModelIdleRules } from './model-idle.ts';
import { finds, searchText, type ModelSearch, type ModelSubject } from './model-search.ts';
import { isDeepStrictEqual } from 'node:util';
import { windowAt, type ModelRecurrence } from './model-windows.ts';

/*
 * Silences once more, from the specification (completion 1.2 and 1.3, silencing, maintenance, reminder, idleness) and from nothing else.
 */

export interface ModelSilenceRequest {
  readonly subscription?: string;
  readonly check?: string;
  /** In place of both. */
  readonly selector?: ModelSearch;
  readonly recurrence?: ModelRecurrence;
  readonly begin?: number;
  readonly expire?: number;
  readonly expire_on_resolve?: boolean;
  readonly reason?: string;
  readonly creator?: string;
}

/** What a command asks for that holds a silence while it runs, or did. */
export interface ModelRelease extends Pick<ModelSilenceRequest, 'subscription' | 'check' | 'selector'> {
  readonly run: string;
}

export interface ModelHold extends ModelRelease, Pick<ModelSilenceRequest, 'reason'> {
  readonly seconds: number;
  readonly renews?: boolean;
}

interface Silence {
  readonly id: string;
  readonly request: ModelSilenceRequest;
  readonly timestamp: number;
  /** Of one that does not recur. */
  expiresMs: number | undefined;
  readonly run: string | undefined;
  suppressed: number;
  lastSuppressed: number | null;
  window: { readonly begin: number; readonly suppressed: number } | undefined;
  /** For the end that it has. */
  reminded: { readonly at: number; readonly events: number } | undefined;
  /** The end before which there was nothing to point out. */
  passedOver: number | undefined;
  readonly idleness: ModelIdleness;
}

/** When silences are pointed out and marked. */
export interface ModelSilenceRules {
  /** Seconds before an end; 0: never. */
  readonly reminder: number;
  /** Undefined: never. */
  readonly idle?: ModelIdleRules | undefined;
}

type Body = Readonly<Record<string, unknown>>;

export class ModelSilences {
  #entries = new Map<string, Silence>();

  copy(): ModelSilences {
    const copy = new ModelSilences();
    copy.#entries = structuredClone(this.#entries);
    return copy;
  }

  /** The model names an entry by what it searches for; the id of the backend is nobody's business. */
  static idOf({ subscription, check, selector }: Partial<ModelSilenceRequest>): string {
    return selector === undefined ? `${subscription ?? '*'}:${check ?? '*'}` : `selector ${searchText(selector)}`;
  }

  /** @returns false: what is there recurs, and must not be lost (409) */
  put(request: ModelSilenceRequest, nowMs: number): boolean {
    const id = ModelSilences.idOf(request);
    const present = this.#living(id, nowMs);
    if (present?.request.recurrence !== undefined && request.recurrence === undefined) return false;
    const waitMs = Math.max(0, (request.begin ?? 0) * 1000 - nowMs);
    const lifeMs = request.expire === undefined || request.expire === -1 ? undefined : request.expire * 1000;
    this.#make(id, request, nowMs, lifeMs === undefined ? undefined : nowMs + waitMs + lifeMs);
    return true;
  }

  /** Maintenance 1. @returns the status of the answer */
  hold({ run, seconds, renews, ...target }: ModelHold, nowMs: number): 204 | 404 | 409 {
    const id = ModelSilences.idOf(target);
    const present = this.#living(id, nowMs);
    if (present !== undefined && present.run !== run) return 409;
    if (present === undefined && renews === true) return 404;
    const endMs = nowMs + seconds * 1000;
    if (present === undefined) this.#make(id, target, nowMs, endMs, run);
    else present.expiresMs = endMs;
    return 204;
  }

  release({ run, ...target }: ModelRelease, nowMs: number): number {
    const present = this.#living(ModelSilences.idOf(target), nowMs);
    if (present === undefined) return 404;
    if (present.run !== run) return 409;
    return this.#entries.delete(present.id) ? 204 : 404;
  }

  /** @returns false: there is no such entry (404) */
  clear(id: string, nowMs: number): boolean {
    this.expire(nowMs);
    return this.#entries.delete(id);
  }

  /** Those of a dump are as they were, where that is not over. */
  restore(dumped: ModelSilences, nowMs: number): void {
    for (const silence of structuredClone(dumped.#entries).values()) {
      const { request } = silence;
      const before = this.#living(silence.id, nowMs);
      const window = request.recurrence && windowAt(request.recurrence, nowMs);
      const endMs = request.recurrence === undefined ? silence.expiresMs : (window?.endMs ?? nowMs);
      if (isPast(endMs, nowMs)) continue;
      if (before?.request.recurrence !== undefined && request.recurrence === undefined) continue;
      // Of another end nothing was pointed out, and of this one perhaps here.
      if (silence.expiresMs !== endMs) silence.reminded = undefined;
      silence.expiresMs = endMs;
      silence.passedOver = undefined;
      if (before !== undefined) {
        if (before.expiresMs === endMs) silence.reminded = before.reminded ?? silence.reminded;
        goOnFrom(silence, before);
        if (isDeepStrictEqual(silence, { ...before, passedOver: undefined })) continue;
      }
      this.#entries.delete(silence.id);
      this.#entries.set(silence.id, silence);
    }
  }

  remove(id: string): void {
    this.#entries.delete(id);
  }

  /** `GET /silenced` */
  list(nowMs: number): Body[] {
    this.expire(nowMs);
    return this.#sorted().map((silence) => viewOf(silence, nowMs));
  }

  /** `GET /api/mon/v1/silenced` */
  details(nowMs: number): Body[] {
    this.expire(nowMs);
    return this.#sorted().map((silence) => {
      const { request, suppressed, lastSuppressed, window, reminded } = silence;
      const { endMs } = spanOf(silence, nowMs);
      const { recurrence } = request;
      return Object.assign({}, viewOf(silence, nowMs), {
        expire_at: endMs === undefined ? null : endMs / 1000,
        ...(request.selector === undefined ? {} : { selector: searchText(request.selector) }),
        ...(recurrence === undefined ? {} : { recurrence: { zone: 'UTC', ...recurrence } }),
        suppressed,
        last_suppressed: lastSuppressed,
        ...(window === undefined ? {} : { window }),
        ...(reminded === undefined ? {} : { reminder_sent: reminded }),
        ...(silence.idleness.mark === undefined ? {} : { idle: silence.idleness.mark }),
      });
    });
  }

  /** By id, since when it is counted that nothing matched. */
  unmatched(nowMs: number): Readonly<Record<string, unknown>> {
    this.expire(nowMs);
    return Object.fromEntries(
      this.#sorted().map(({ id, idleness, run }) => [
        id,
        idleness.isCounted && run === undefined ? idleness.since : undefined,
      ]),
    );
  }

  /**
   * 1.3: for each subscription all its events, then the one; then the check everywhere; then those that search. Begun
   * entries only.
   */
  matching(subject: ModelSubject, nowMs: number): Silence[] {
    const { client, check } = subject;
    const ids = [
      ...client.subscriptions.flatMap((name) => [`${name}:*`, `${name}:${check.name}`]),
      `*:${check.name}`,
      ...[...this.#entries.values()]
        .flatMap((one) => (isSearch(one) && names(one, subject) ? [one.id] : []))
        .toSorted(),
    ];
    return ids.flatMap((id) => {
      const silence = this.#living(id, nowMs);
      return silence === undefined || spanOf(silence, nowMs).beginMs > nowMs ? [] : [silence];
    });
  }

  /** One run of a handler was kept back. */
  count(ids: readonly string[], nowMs: number): void {
    for (const id of ids) {
      const silence = this.#living(id, nowMs);
      if (silence === undefined) continue;
      matched(silence, nowMs);
      silence.suppressed++;
      silence.lastSuppressed = Math.floor(nowMs / 1000);
      if (silence.request.recurrence === undefined) continue;
      const begin = spanOf(silence, nowMs).beginMs / 1000;
      const before = silence.window?.begin === begin ? silence.window.suppressed : 0;
      silence.window = { begin, suppressed: before + 1 };
    }
  }

  /** Idleness 1: an event begins or ends that they silence. */
  match(silences: readonly Silence[], nowMs: number): void {
    for (const silence of silences) matched(silence, nowMs);
  }

  /**
   * Those that are over are gone; those that recur have their next window.
   *
   * @param open the checks with an event, at a moment at which windows end
   */
  expire(nowMs: number, open: readonly ModelSubject[] = []): void {
    for (const silence of this.#entries.values()) {
      const { recurrence } = silence.request;
      if (recurrence === undefined ? isPast(silence.expiresMs, nowMs) : windowAt(recurrence, nowMs) === undefined) {
        this.#entries.delete(silence.id);
      } else if (recurrence !== undefined && spanOf(silence, nowMs).endMs !== silence.expiresMs) {
        // Idleness 3: what was open all through the window.
        if (open.some((subject) => names(silence, subject))) matched(silence, nowMs);
        silence.expiresMs = spanOf(silence, nowMs).endMs;
        silence.reminded = undefined;
        silence.passedOver = undefined;
      }
    }
  }

  /** Reminder 1. @param open the checks with an event @returns of how many it is told */
  remind(open: readonly ModelSubject[], beforeSeconds: number, nowMs: number): number {
    let told = 0;
    for (const silence of this.#entries.values()) {
      const atMs = reminderOf(silence, beforeSeconds, nowMs);
      if (atMs === undefined || atMs > nowMs) continue;
      const events = open.filter((subject) => names(silence, subject)).length;
      if (events > 0) {
        silence.reminded = { at: Math.floor(nowMs / 1000), events };
        told++;
      } else silence.passedOver = spanOf(silence, nowMs).endMs;
    }
    return told;
  }

  /** Idleness 1 and 4, at each look. @param open the checks with an event */
  lookForIdle(open: readonly ModelSubject[], rules: ModelIdleRules, nowMs: number): void {
    for (const silence of this.#entries.values()) {
      const { idleness, id, run } = silence;
      const now = Math.floor(nowMs / 1000);
      if (run === undefined && idleness.since <= now && !idleness.isCounted) {
        // Idleness 2: where nobody counted before it counts from then on.
        if (!isNew(idleness, now)) idleness.since = now;
        idleness.isCounted = true;
      }
      if (!isIdleDue(silence, rules, nowMs)) {
        idleness.mark = undefined;
        continue;
      }
      if (covers(silence, open, nowMs)) matched(silence, nowMs);
      else if (idleness.mark === undefined) idleness.mark = markOf(idleness, now, rules);
      else if (idleness.mark.ends_at <= now) this.#entries.delete(id);
    }
  }

  /** A backend that was away looks again. */
  restart(): void {
    for (const silence of this.#entries.values()) silence.passedOver = undefined;
  }

  /**
   * When silences begin or end, are pointed out, or looked at for idle ones.
   *
   * @param open the checks with an event
   * @param startedMs when the backend was started
   */
  moments(
    { reminder, idle }: ModelSilenceRules,
    open: readonly ModelSubject[],
    startedMs: number,
    nowMs: number,
  ): number[] {
    const all = [...this.#entries.values()];
    const turns = all.flatMap((silence) => {
      const { beginMs, endMs } = spanOf(silence, nowMs);
      return [beginMs, endMs ?? 0, reminderOf(silence, reminder, nowMs) ?? 0];
    });
    if (idle === undefined) return turns;
    const looks = all.flatMap((silence) => idleTurns(silence, open, idle, nowMs));
    return [...turns, ...looks.map((ms) => idleLookFrom(Math.max(ms, nowMs + 1), startedMs))];
  }

  #make(id: string, request: ModelSilenceRequest, nowMs: number, expiresMs: number | undefined, run?: string): void {
    const { recurrence, begin = 0 } = request;
    const timestamp = Math.floor(nowMs / 1000);
    // Another one, behind the others.
    this.#entries.delete(id);
    this.#entries.set(id, {
      id,
      request,
      timestamp,
      expiresMs: recurrence === undefined ? expiresMs : windowAt(recurrence, nowMs)?.endMs,
      run,
      suppressed: 0,
      lastSuppressed: null,
      window: undefined,
      reminded: undefined,
      passedOver: undefined,
      idleness: {
        since: recurrence === undefined ? Math.max(begin, timestamp) : timestamp,
        isCounted: false,
        mark: undefined,
      },
    });
  }

  #living(id: string, nowMs: number): Silence | undefined {
    this.expire(nowMs);
    return this.#entries.get(id);
  }

  #sorted(): Silence[] {
    return [...this.#entries.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1));
  }
}

function isSearch({ request }: Silence): boolean {
  return request.selector !== undefined;
}

/** Whether it is about a check, in force or not. */
function names({ request }: Silence, subject: ModelSubject): boolean {
  const { subscription, check, selector } = request;
  if (selector !== undefined) return finds(selector, subject);
  if (check !== undefined && check !== subject.check.name) return false;
  return subscription === undefined || subject.client.subscriptions.includes(subscription);
}

/** The span in which it is in force, or is next. */
function spanOf({ request, expiresMs }: Silence, nowMs: number): { beginMs: number; endMs: number | undefined } {
  const window = request.recurrence === undefined ? undefined : windowAt(request.recurrence, nowMs);
  return window ?? { beginMs: (request.begin ?? 0) * 1000, endMs: expiresMs };
}

/** Whether an event is open that it silences. */
function covers(silence: Silence, open: readonly ModelSubject[], nowMs: number): boolean {
  return spanOf(silence, nowMs).beginMs <= nowMs && open.some((subject) => names(silence, subject));
}

function matched({ idleness }: Silence, nowMs: number): void {
  const now = Math.floor(nowMs / 1000);
  idleness.mark = undefined;
  if (!idleness.isCounted && !isNew(idleness, now)) return;
  idleness.since = now;
  idleness.isCounted = true;
}

/** Whether it began so short a time ago that it is known of all of it whether anything matched. */
function isNew({ since }: ModelIdleness, now: number): boolean {
  return now - since <= 120;
}

/** Idleness 2 and reminder 1: since when nothing matched is known better by the one that is there. */
function goOnFrom(silence: Silence, before: Silence): void {
  const isUsed = silence.suppressed > 0 || isCountedOf(silence);
  // Where the dump knows of nothing, one that kept nothing back may have matched something here.
  const isCounted = isCountedOf(before) && (isUsed || before.suppressed === 0);
  Object.assign(silence.idleness, { isCounted, since: isCounted ? before.idleness.since : beginOf(silence) });
}

function isCountedOf({ idleness, run }: Silence): boolean {
  return idleness.isCounted && run === undefined;
}

/** Epoch seconds from which it may match anything. */
function beginOf({ request, timestamp }: Silence): number {
  return request.recurrence === undefined ? Math.max(request.begin ?? 0, timestamp) : timestamp;
}

function isIdleDue({ idleness, request, run }: Silence, rules: ModelIdleRules, nowMs: number): boolean {
  return run === undefined && idleDueAt(idleness, request.recurrence, rules) <= nowMs;
}

/** When looking at one comes to something: where it begins, is due, is to end or matches by now. */
function idleTurns(silence: Silence, open: readonly ModelSubject[], rules: ModelIdleRules, nowMs: number): number[] {
  const { idleness, request, run } = silence;
  if (run !== undefined) return [];
  return [
    beginOf(silence) * 1000,
    idleDueAt(idleness, request.recurrence, rules),
    ...(idleness.mark === undefined ? [] : [idleness.mark.ends_at * 1000]),
    ...(isIdleDue(silence, rules, nowMs) && covers(silence, open, nowMs) ? [nowMs] : []),
  ];
}

function markOf({ since }: ModelIdleness, now: number, { expire }: ModelIdleRules): ModelIdleMark {
  return { since, at: now, ends_at: now + expire };
}

function reminderOf(silence: Silence, beforeSeconds: number, nowMs: number): number | undefined {
  const { beginMs, endMs } = spanOf(silence, nowMs);
  if (endMs === undefined || silence.run !== undefined) return undefined;
  if (silence.reminded !== undefined || silence.passedOver === endMs) return undefined;
  const atMs = endMs - beforeSeconds * 1000;
  return atMs > Math.max(silence.timestamp * 1000, beginMs) ? atMs : undefined;
}

function viewOf(silence: Silence, nowMs: number): Body {
  const { id, request, timestamp } = silence;
  const { beginMs, endMs } = spanOf(silence, nowMs);
  const begin = request.recurrence === undefined ? (request.begin ?? null) : beginMs / 1000;
  return {
    id,
    subscription: request.subscription ?? null,
    check: request.check ?? null,
    reason: request.reason ?? null,
    creator: request.creator ?? null,
    begin,
    expire_on_resolve: request.expire_on_resolve ?? false,
    timestamp,
    expire: endMs === undefined ? -1 : Math.ceil((endMs - nowMs) / 1000),
  };
}

function isPast(atMs: number | undefined, nowMs: number): boolean {
  return atMs !== undefined && atMs <= nowMs;
}
