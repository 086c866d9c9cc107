import { idleDueAt, idleLookFrom, type ModelIdleMark, type ModelIdleness, type ModelIdleRules } from './model-idle.ts';
import { finds, searchText, type ModelSearch, type ModelSubject } from './model-search.ts';
import { isDeepStrictEqual } from 'node:util';
import { windowAt, type ModelRecurrence } from './model-windows.ts';

/*
 * A second implementation of silences, written only from the specification (completion 1.2 and 1.3, silencing,
 * maintenance, reminder, idleness).
 */

export interface ModelSilenceRequest {
  readonly subscription?: string;
  readonly check?: string;
  /** The selector, instead of subscription and check. */
  readonly selector?: ModelSearch;
  readonly recurrence?: ModelRecurrence;
  readonly begin?: number;
  readonly expire?: number;
  readonly expire_on_resolve?: boolean;
  readonly reason?: string;
  readonly creator?: string;
}

/** The request of a command that holds a silence while it runs. */
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
  /** Expiry of a silence that does not recur. */
  expiresMs: number | undefined;
  readonly run: string | undefined;
  suppressed: number;
  lastSuppressed: number | null;
  window: { readonly begin: number; readonly suppressed: number } | undefined;
  /** The reminder for the current end. */
  reminded: { readonly at: number; readonly events: number } | undefined;
  /** The end for which no reminder was necessary. */
  passedOver: number | undefined;
  readonly idleness: ModelIdleness;
}

/** The settings for reminders and idle silences. */
export interface ModelSilenceRules {
  /** Seconds before an end; 0: never. */
  readonly reminder: number;
  /** The rules for idle silences; undefined: silences never become idle. */
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

  /** Returns the id of the model, which contains the search; the id of the backend does not matter. */
  static idOf({ subscription, check, selector }: Partial<ModelSilenceRequest>): string {
    return selector === undefined ? `${subscription ?? '*'}:${check ?? '*'}` : `selector ${searchText(selector)}`;
  }

  /**
   * Creates a silence.
   *
   * @returns `false` if an existing recurring silence must not be replaced (409)
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
   * Maintenance 1: holds a silence.
   *
   * @returns the status of the response
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
   * @returns `false` if it does not exist (404)
   */
  clear(id: string, nowMs: number): boolean {
    this.expire(nowMs);
    return this.#entries.delete(id);
  }

  /** Restores the silences of a dump, unless they have expired. */
  restore(dumped: ModelSilences, nowMs: number): void {
    for (const silence of structuredClone(dumped.#entries).values()) {
      const { request } = silence;
      const before = this.#living(silence.id, nowMs);
      const window = request.recurrence && windowAt(request.recurrence, nowMs);
      const endMs = request.recurrence === undefined ? silence.expiresMs : (window?.endMs ?? nowMs);
      if (isPast(endMs, nowMs)) continue;
      if (before?.request.recurrence !== undefined && request.recurrence === undefined) continue;
      // A reminder belongs to one end, and this end may have one here.
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

  /** Returns `GET /silenced`. */
  list(nowMs: number): Body[] {
    this.expire(nowMs);
    return this.#sorted().map((silence) => viewOf(silence, nowMs));
  }

  /** Returns `GET /api/mon/v1/silenced`. */
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

  /** Returns by id since when nothing matched. */
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
   * 1.3: returns the active silences. For each subscription they are ordered: those of all events, then of the
   * check. Then come those of the check everywhere, and those with a search.
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

  /** True if the silence with this id is in force. */
  isActive(id: string, nowMs: number): boolean {
    const silence = this.#living(id, nowMs);
    return silence !== undefined && spanOf(silence, nowMs).beginMs <= nowMs;
  }

  /** Counts a suppressed handler run. */
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

  /** Idleness 1: records that an event they cover begins or ends. */
  match(silences: readonly Silence[], nowMs: number): void {
    for (const silence of silences) matched(silence, nowMs);
  }

  /**
   * Removes expired silences, and moves recurring ones to their next window.
   *
   * @param open the checks with an event, at a time when windows end
   */
  expire(nowMs: number, open: readonly ModelSubject[] = []): void {
    for (const silence of this.#entries.values()) {
      const { recurrence } = silence.request;
      if (recurrence === undefined ? isPast(silence.expiresMs, nowMs) : windowAt(recurrence, nowMs) === undefined) {
        this.#entries.delete(silence.id);
      } else if (recurrence !== undefined && spanOf(silence, nowMs).endMs !== silence.expiresMs) {
        // Idleness 3: events that were open during the whole window count as matches.
        if (open.some((subject) => names(silence, subject))) matched(silence, nowMs);
        silence.expiresMs = spanOf(silence, nowMs).endMs;
        silence.reminded = undefined;
        silence.passedOver = undefined;
      }
    }
  }

  /**
   * Reminder 1: sends due reminders.
   *
   * @param open the checks with an event
   * @returns the number of reminders
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
   * Idleness 1 and 4: checks for idle silences.
   *
   * @param open the checks with an event
   */
  lookForIdle(open: readonly ModelSubject[], rules: ModelIdleRules, nowMs: number): void {
    for (const silence of this.#entries.values()) {
      const { idleness, id, run } = silence;
      const now = Math.floor(nowMs / 1000);
      if (run === undefined && idleness.since <= now && !idleness.isCounted) {
        // Idleness 2: without an earlier count, it starts now.
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

  /** Makes a restarted backend check again. */
  restart(): void {
    for (const silence of this.#entries.values()) silence.passedOver = undefined;
  }

  /**
   * Returns when silences begin or end, need a reminder, or are checked for being idle.
   *
   * @param open the checks with an event
   * @param startedMs start of the backend
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
    // A new silence comes after the others.
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

/** Returns whether a silence covers a check, active or not. */
function names({ request }: Silence, subject: ModelSubject): boolean {
  const { subscription, check, selector } = request;
  if (selector !== undefined) return finds(selector, subject);
  if (check !== undefined && check !== subject.check.name) return false;
  return subscription === undefined || subject.client.subscriptions.includes(subscription);
}

/** Returns the active span, or the next one. */
function spanOf({ request, expiresMs }: Silence, nowMs: number): { beginMs: number; endMs: number | undefined } {
  const window = request.recurrence === undefined ? undefined : windowAt(request.recurrence, nowMs);
  return window ?? { beginMs: (request.begin ?? 0) * 1000, endMs: expiresMs };
}

/** Returns whether a silence covers an open event. */
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

/** Returns whether it began so recently that all its matches are known. */
function isNew({ since }: ModelIdleness, now: number): boolean {
  return now - since <= 120;
}

/**
 * Idleness 2 and reminder 1: takes over since when the existing silence has matched nothing, which is more precise
 * than the value in the dump.
 */
function goOnFrom(silence: Silence, before: Silence): void {
  const isUsed = silence.suppressed > 0 || isCountedOf(silence);
  // If the dump knows no match, a silence without suppressed runs may still have matched something here.
  const isCounted = isCountedOf(before) && (isUsed || before.suppressed === 0);
  Object.assign(silence.idleness, { isCounted, since: isCounted ? before.idleness.since : beginOf(silence) });
}

function isCountedOf({ idleness, run }: Silence): boolean {
  return idleness.isCounted && run === undefined;
}

/** Returns the epoch seconds from which it may match. */
function beginOf({ request, timestamp }: Silence): number {
  return request.recurrence === undefined ? Math.max(request.begin ?? 0, timestamp) : timestamp;
}

function isIdleDue({ idleness, request, run }: Silence, rules: ModelIdleRules, nowMs: number): boolean {
  return run === undefined && idleDueAt(idleness, request.recurrence, rules) <= nowMs;
}

/** Returns when a check has an effect: it begins, is due, is about to end or matches. */
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
