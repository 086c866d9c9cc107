import { idleDueAt, idleLookFrom, type ModelIdleMark, type ModelIdleness, type ModelIdleRules } from './model-idle.ts';
import { finds, searchText, type ModelSearch, type ModelSubject } from './model-search.ts';
import { isDeepStrictEqual } from 'node:util';
import { windowAt, type ModelRecurrence } from './model-windows.ts';

/*
 * A second implementation of silences for comparison, written only from the specification (completion 1.2 and 1.3,
 * silencing, maintenance, reminder, idleness).
 */

export interface ModelSilenceRequest {
  readonly subscription?: string;
  readonly check?: string;
  /** The selector of the silence, which replaces the subscription and the check. */
  readonly selector?: ModelSearch;
  readonly recurrence?: ModelRecurrence;
  readonly begin?: number;
  readonly expire?: number;
  readonly expire_on_resolve?: boolean;
  readonly reason?: string;
  readonly creator?: string;
}

/** The request to end the silence that a maintenance run holds. */
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
  /** Time when a silence expires, or the current window of a recurring one ends; `undefined` if it never does. */
  expiresMs: number | undefined;
  readonly run: string | undefined;
  suppressed: number;
  lastSuppressed: number | null;
  window: { readonly begin: number; readonly suppressed: number } | undefined;
  /** The reminder that was sent before the current end; `undefined` if none was. */
  reminded: { readonly at: number; readonly events: number } | undefined;
  /** The end before which no reminder was sent, because no event was open; `undefined` if there is none. */
  passedOver: number | undefined;
  readonly idleness: ModelIdleness;
}

/** The settings for reminders and for idle silences. */
export interface ModelSilenceRules {
  /** Number of seconds before the end at which a reminder is sent; 0 if reminders are disabled. */
  readonly reminder: number;
  /** The settings for idle silences; `undefined` if silences never become idle. */
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

  /** Returns the model's id of a silence. It contains the text of the selector, unlike the id of the backend. */
  static idOf({ subscription, check, selector }: Partial<ModelSilenceRequest>): string {
    return selector === undefined ? `${subscription ?? '*'}:${check ?? '*'}` : `selector ${searchText(selector)}`;
  }

  /**
   * Creates or replaces a silence.
   *
   * @returns `false` if the request would replace a recurring silence, which is rejected (409)
   */
  put(request: ModelSilenceRequest, nowMs: number): boolean {
    const id = ModelSilences.idOf(request);
    const present = this.#living(id, nowMs);
    if (present?.request.recurrence !== undefined && request.recurrence === undefined) return false;
    const waitMs = Math.max(0, (request.begin ?? 0) * 1000 - nowMs);
    const lifeMs = request.expire === undefined || request.expire === -1 ? undefined : request.expire * 1000;
    this.#make(id, request, nowMs, lifeMs === undefined ? undefined : nowMs + waitMs + lifeMs);
    return true;
  }

  /**
   * Creates or renews the silence of a maintenance run (maintenance 1).
   *
   * @returns the expected status of the response
   */
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

  /**
   * Clears a silence.
   *
   * @returns `false` if no such silence exists (404)
   */
  clear(id: string, nowMs: number): boolean {
    this.expire(nowMs);
    return this.#entries.delete(id);
  }

  /** Restores the silences of a dump, except those that have expired. */
  restore(dumped: ModelSilences, nowMs: number): void {
    for (const silence of structuredClone(dumped.#entries).values()) {
      const { request } = silence;
      const before = this.#living(silence.id, nowMs);
      const window = request.recurrence && windowAt(request.recurrence, nowMs);
      const endMs = request.recurrence === undefined ? silence.expiresMs : (window?.endMs ?? nowMs);
      if (isPast(endMs, nowMs)) continue;
      if (before?.request.recurrence !== undefined && request.recurrence === undefined) continue;
      // A reminder applies to one end only. If the end differs, the reminder of the dump does not count.
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

  /** Returns the expected response to `GET /silenced`. */
  list(nowMs: number): Body[] {
    this.expire(nowMs);
    return this.#sorted().map((silence) => viewOf(silence, nowMs));
  }

  /** Returns the expected response to `GET /api/mon/v1/silenced`. */
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

  /** Returns the time since when each silence has matched no event, by id; `undefined` if it was not counted yet. */
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
   * Returns the active silences of a check in the specified order (completion 1.3): for each subscription the silence
   * of all checks and then of this check, then the silence of this check on all clients, then those with a selector.
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

  /** True if the silence with this id exists and is active. */
  isActive(id: string, nowMs: number): boolean {
    const silence = this.#living(id, nowMs);
    return silence !== undefined && spanOf(silence, nowMs).beginMs <= nowMs;
  }

  /** Counts a suppressed notification for each of these silences. */
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

  /** Records that these silences cover an event that begins or ends (idleness 1). */
  match(silences: readonly Silence[], nowMs: number): void {
    for (const silence of silences) matched(silence, nowMs);
  }

  /**
   * Removes expired silences, and moves recurring silences whose window has ended to the next one.
   *
   * @param open the open events, which count as matches of windows that end now
   */
  expire(nowMs: number, open: readonly ModelSubject[] = []): void {
    for (const silence of this.#entries.values()) {
      const { recurrence } = silence.request;
      if (recurrence === undefined ? isPast(silence.expiresMs, nowMs) : windowAt(recurrence, nowMs) === undefined) {
        this.#entries.delete(silence.id);
      } else if (recurrence !== undefined && spanOf(silence, nowMs).endMs !== silence.expiresMs) {
        // Events that were open during the whole window count as matches (idleness 3).
        if (open.some((subject) => names(silence, subject))) matched(silence, nowMs);
        silence.expiresMs = spanOf(silence, nowMs).endMs;
        silence.reminded = undefined;
        silence.passedOver = undefined;
      }
    }
  }

  /**
   * Sends the reminders that are due (reminder 1).
   *
   * @param open the open events
   * @param beforeSeconds number of seconds before the end at which a reminder is due
   * @returns the number of reminders that were sent
   */
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

  /**
   * Checks all silences for idleness: marks them as idle, or removes those that were marked for long enough (idleness 1
   * and 4).
   *
   * @param open the open events
   */
  lookForIdle(open: readonly ModelSubject[], rules: ModelIdleRules, nowMs: number): void {
    for (const silence of this.#entries.values()) {
      const { idleness, id, run } = silence;
      const now = Math.floor(nowMs / 1000);
      if (run === undefined && idleness.since <= now && !idleness.isCounted) {
        // If no earlier match was counted, counting starts now (idleness 2).
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

  /** Lets a restarted backend reconsider the reminders that it had found unnecessary. */
  restart(): void {
    for (const silence of this.#entries.values()) silence.passedOver = undefined;
  }

  /**
   * Returns the times at which silences begin, end or need a reminder, or at which an idleness check has an effect.
   * Some times may be in the past.
   *
   * @param open the open events
   * @param startedMs start of the backend in epoch milliseconds
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
    // A new silence comes last in the order of the silences, even if it replaces one.
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

/** True if the silence covers this check, whether the silence is active or not. */
function names({ request }: Silence, subject: ModelSubject): boolean {
  const { subscription, check, selector } = request;
  if (selector !== undefined) return finds(selector, subject);
  if (check !== undefined && check !== subject.check.name) return false;
  return subscription === undefined || subject.client.subscriptions.includes(subscription);
}

/** Returns the current span of a silence; of a recurring silence, its current or next window. */
function spanOf({ request, expiresMs }: Silence, nowMs: number): { beginMs: number; endMs: number | undefined } {
  const window = request.recurrence === undefined ? undefined : windowAt(request.recurrence, nowMs);
  return window ?? { beginMs: (request.begin ?? 0) * 1000, endMs: expiresMs };
}

/** True if an active silence covers at least one open event. */
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

/** True if the silence began at most 120 s ago, so that all its matches are known. */
function isNew({ since }: ModelIdleness, now: number): boolean {
  return now - since <= 120;
}

/**
 * Lets a restored silence continue from the existing one: the existing silence knows more precisely since when it has
 * matched no event (idleness 2, reminder 1).
 */
function goOnFrom(silence: Silence, before: Silence): void {
  const isUsed = silence.suppressed > 0 || isCountedOf(silence);
  // If the dump contains no match, a silence that has suppressed nothing may still have matched an event in this
  // backend.
  const isCounted = isCountedOf(before) && (isUsed || before.suppressed === 0);
  Object.assign(silence.idleness, { isCounted, since: isCounted ? before.idleness.since : beginOf(silence) });
}

function isCountedOf({ idleness, run }: Silence): boolean {
  return idleness.isCounted && run === undefined;
}

/** Returns the time from which a silence can match events, in epoch seconds. */
function beginOf({ request, timestamp }: Silence): number {
  return request.recurrence === undefined ? Math.max(request.begin ?? 0, timestamp) : timestamp;
}

function isIdleDue({ idleness, request, run }: Silence, rules: ModelIdleRules, nowMs: number): boolean {
  return run === undefined && idleDueAt(idleness, request.recurrence, rules) <= nowMs;
}

/**
 * Returns the times at which an idleness check affects this silence: its begin, its due time, the end after a mark, or
 * now if it matches an open event.
 */
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
