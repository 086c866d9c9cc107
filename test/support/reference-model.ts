import { isDeepStrictEqual } from 'node:util';
import { statusOfRule, turnsOfRule, type ModelMember, type ModelRule } from './model-aggregates.ts';
import { isIdleLook, type ModelIdleRules } from './model-idle.ts';
import { ModelSilences, type ModelHold, type ModelRelease, type ModelSilenceRequest } from './model-silences.ts';
import type { ModelSubject } from './model-search.ts';
import {
  joinedMarks,
  ModelTold,
  newMarks,
  type ModelHandlers,
  type ModelMarks,
  type ModelOccasion,
} from './model-told.ts';

/**
 * A second implementation of the rules of results, events, silences and clients, from the specification alone
 * (completion 1.2 to 1.7). It uses plain lists, without packing, indexes and batches. The responses of the
 * backend must equal those of this model. Times are epoch milliseconds where the name says so, and epoch
 * seconds otherwise.
 */

/** A posted result; `source` is the name of its client. */
export interface ModelResult {
  readonly name: string;
  readonly output: string;
  readonly status?: number;
  readonly executed?: number;
  readonly source?: string;
  readonly [attribute: string]: unknown;
}

type Body = Readonly<Record<string, unknown>>;

interface Event {
  /** A counter of all events; the real id is a UUID. */
  readonly id: string;
  readonly action: 'create' | 'flapping';
  readonly check: Body;
  readonly history: readonly number[];
  readonly totalStateChange: number;
  readonly occurrences: number;
  readonly watermark: number;
  readonly lastOk: number | null;
  readonly timestamp: number;
  readonly lastStateChange: number | null | undefined;
  readonly status: number;
  /** Execution times of successive OK results, while the event needs more of them to resolve. */
  readonly oks: readonly number[];
  readonly marks: ModelMarks;
}

type ToldEvent = Omit<Event, 'action'> & Pick<ModelOccasion, 'action'>;

interface Check {
  /** The last result; `undefined` after it was deleted while its event stays. */
  result: Body | undefined;
  history: number[];
  lastOk: number | null;
  event: Event | undefined;
}

interface Client {
  record: { readonly name: string; readonly subscriptions: readonly string[]; readonly [attribute: string]: unknown };
  readonly checks: Map<string, Check>;
}

/** The settings besides results, events, silences and clients. */
export interface ModelSettings {
  /** Default: no handlers. */
  readonly handlers?: ModelHandlers;
  /** Aggregate rules by the names of their checks. */
  readonly rules?: Readonly<Record<string, ModelRule>>;
  /** Seconds before the end of a silence. */
  readonly reminder?: number;
  /** Default: no silence becomes idle. */
  readonly idle?: ModelIdleRules;
}

/** The state at some moment. */
export interface ModelDump {
  readonly clients: Map<string, Client>;
  readonly silences: ModelSilences;
}

const AGGREGATES_CLIENT = 'mon.aggregates';

/** Interval at which aggregates are evaluated. */
const LOOK_MS = 1000;

export class ReferenceModel {
  #clients = new Map<string, Client>();
  #silences = new ModelSilences();
  readonly #definitions: ReadonlyMap<string, Body>;
  #settings: ModelSettings;
  readonly #told: ModelTold | undefined;
  #events = 0;
  /** Start of the backend. */
  #startedMs = 0;
  #lookedMs = 0;

  constructor(definitions: Readonly<Record<string, Body>> = {}, settings: ModelSettings = {}) {
    this.#definitions = new Map(Object.entries(definitions));
    this.#settings = settings;
    const { handlers } = settings;
    if (handlers !== undefined) this.#told = new ModelTold(handlers, (...kept) => this.#silences.count(...kept));
  }

  /** Returns an independent copy without handlers. */
  copy(): ReferenceModel {
    const copy = new ReferenceModel(Object.fromEntries(this.#definitions));
    copy.#clients = structuredClone(this.#clients);
    copy.#silences = this.#silences.copy();
    copy.#events = this.#events;
    return copy;
  }

  /** 1.4 in its order: merge, store with history, build the event, end silences, update the registry. */
  post(result: ModelResult, nowMs: number, reporter = 'sensu-api'): void {
    const now = seconds(nowMs);
    const definition = this.#definitions.get(result.name);
    const merged = result['standalone'] === true ? undefined : definition;
    this.#process(
      result.source ?? reporter,
      {
        ...(merged === undefined ? {} : { ...merged, name: result.name }),
        ...result,
        // The recorded exchange `proxy merge command` shows this; a standalone result behaves the same.
        ...(result.source === undefined || definition === undefined ? {} : { command: definition['command'] }),
        type: result['type'] ?? merged?.['type'] ?? 'standard',
        status: result.status ?? 0,
        executed: Math.min(result.executed ?? now, now),
        issued: now,
        ...(result.source === undefined ? {} : { origin: reporter }),
      },
      nowMs,
      result.source !== undefined,
    );
  }

  /**
   * Resolves an event.
   *
   * @returns `false` if it does not exist (404)
   */
  resolve(client: string, check: string, nowMs: number): boolean {
    const event = this.#clients.get(client)?.checks.get(check)?.event;
    if (event === undefined) return false;
    const now = seconds(nowMs);
    this.#process(
      client,
      {
        ...event.check,
        total_state_change: event.totalStateChange,
        output: 'Resolving on request of the API',
        status: 0,
        force_resolve: true,
        issued: now,
        executed: now,
        ...(event.check['source'] === undefined ? {} : { origin: client }),
      },
      nowMs,
      false,
    );
    return true;
  }

  /**
   * Deletes a result.
   *
   * @returns `false` if it does not exist (404)
   */
  deleteResult(client: string, check: string): boolean {
    const checks = this.#clients.get(client)?.checks;
    const stored = checks?.get(check);
    if (stored?.result === undefined) return false;
    stored.result = undefined;
    stored.history = [];
    stored.lastOk = null;
    if (stored.event === undefined) checks?.delete(check);
    return true;
  }

  /**
   * Renames a check, like `monctl check rename`.
   *
   * @param isForced true to rename even if the old name is still defined, or a client has both
   * @returns the status of the response
   */
  rename(
    { from, to, isForced }: { readonly from: string; readonly to: string; readonly isForced: boolean },
    nowMs: number,
  ): number {
    if (from === to) return 400;
    if (!isForced && this.#definitions.has(from)) return 409;
    const having = [...this.#clients.values()].filter(({ checks }) => checks.has(from));
    if (having.length === 0) return 404;
    if (!isForced && having.some(({ checks }) => checks.has(to))) return 409;
    for (const client of having) this.#renameOn(client, from, to, nowMs);
    return 200;
  }

  putClient(posted: { readonly name: string; readonly subscriptions?: readonly string[] }, nowMs: number): void {
    const record = {
      keepalives: false,
      ...posted,
      subscriptions: [...new Set([...(posted.subscriptions ?? []), `client:${posted.name}`])],
      version: '1.9.0',
      timestamp: seconds(nowMs),
    };
    const present = this.#clients.get(posted.name);
    if (present === undefined) this.#clients.set(posted.name, { record, checks: new Map() });
    else present.record = record;
  }

  /**
   * Deletes a client.
   *
   * @returns `false` if it does not exist (404)
   */
  deleteClient(name: string, nowMs: number): boolean {
    const client = this.#clients.get(name);
    if (client === undefined) return false;
    for (const check of client.checks.keys()) this.resolve(name, check, nowMs);
    return this.#clients.delete(name);
  }

  /**
   * Creates a silence.
   *
   * @returns `false` if an existing recurring silence is not replaced (409)
   */
  silence(request: ModelSilenceRequest, nowMs: number): boolean {
    return this.#silences.put(request, nowMs);
  }

  /**
   * Holds a silence.
   *
   * @returns the status of the response
   */
  hold(hold: ModelHold, nowMs: number): number {
    return this.#silences.hold(hold, nowMs);
  }

  /**
   * Releases a silence.
   *
   * @returns the status of the response
   */
  release(release: ModelRelease, nowMs: number): number {
    return this.#silences.release(release, nowMs);
  }

  /**
   * Clears a silence.
   *
   * @returns `false` if it does not exist (404)
   */
  clear(id: string, nowMs: number): boolean {
    return this.#silences.clear(id, nowMs);
  }

  /** Returns `GET /silenced`. */
  silenced(nowMs: number): Body[] {
    return this.#silences.list(nowMs);
  }

  /** Returns `GET /api/mon/v1/silenced`. */
  silencedDetails(nowMs: number): Body[] {
    return this.#silences.details(nowMs);
  }

  /** Returns by id since when silences matched nothing. */
  unmatchedSilences(nowMs: number): Body {
    return this.#silences.unmatched(nowMs);
  }

  /** Returns the notifications since the last call. */
  takeSaid(): readonly string[] {
    return this.#told?.takeSaid() ?? [];
  }

  groups(): readonly unknown[] {
    return this.#told?.groups() ?? [];
  }

  inhibitors(): Body {
    return this.#told?.inhibitors() ?? {};
  }

  /** Records a start of the backend. */
  start(nowMs: number): void {
    this.#startedMs = nowMs;
    this.#lookedMs = nowMs;
    this.#silences.restart();
  }

  /** Returns the content of a dump. */
  dump(): ModelDump {
    return { clients: structuredClone(this.#clients), silences: this.#silences.copy() };
  }

  /** Moves to a new backend, which knows only what was just dumped. */
  moved(nowMs: number): void {
    for (const client of this.#clients.values()) {
      for (const [name, { event }] of client.checks) if (event !== undefined) this.#begin(client, name, nowMs);
    }
    const open = this.#openOccasions(nowMs);
    this.#told?.moved(open);
  }

  /** Restores a dump, like `monctl restore`: dumped objects are as before, and others stay. */
  restore({ clients, silences }: ModelDump, nowMs: number): void {
    this.#silences.restore(silences, nowMs);
    const dumped = structuredClone(clients);
    for (const [name, { record }] of dumped) {
      const present = this.#clients.get(name);
      if (present === undefined) this.#clients.set(name, { record, checks: new Map() });
      else present.record = record;
    }
    for (const [clientName, { checks }] of dumped) {
      const client = this.#clients.get(clientName);
      if (client === undefined) continue;
      for (const [name, check] of checks) this.#restoreCheck(client, name, check, nowMs);
    }
  }

  /** Applies another configuration; whether there are handlers stays the same. */
  reload(settings: ModelSettings, nowMs: number): void {
    this.#settings = settings;
    if (settings.handlers !== undefined) this.#told?.reload(settings.handlers, this.#openOccasions(nowMs), nowMs);
  }

  /** Returns when the next automatic change happens: at `nowMs` or later. */
  nextMoment(nowMs: number): number {
    const { reminder = 0, idle } = this.#settings;
    const moments = [
      ...this.#silences.moments({ reminder, idle }, this.#openSubjects(), this.#startedMs, nowMs),
      ...(this.#told?.moments() ?? []),
      ...this.#looks(nowMs),
    ];
    return Math.min(...moments.filter((ms) => ms > nowMs));
  }

  /**
   * Does what is due: silences end, get reminders or become idle, aggregates are evaluated, groups are flushed.
   */
  settle(nowMs: number): void {
    const { reminder = 0, idle, rules = {} } = this.#settings;
    const open = this.#openSubjects();
    this.#silences.expire(nowMs, open);
    if (reminder > 0) this.#told?.reminders(this.#silences.remind(open, reminder, nowMs));
    if (idle !== undefined && nowMs > this.#lookedMs && isIdleLook(nowMs, this.#startedMs)) {
      this.#silences.lookForIdle(open, idle, nowMs);
    }
    if (nowMs > this.#lookedMs && (nowMs - this.#startedMs) % LOOK_MS === 0) {
      for (const [name, rule] of Object.entries(rules)) this.#look(name, rule, nowMs);
      for (const name of this.#goneRules()) this.#forgetRule(name, nowMs);
    }
    // Changes at the very moment of an evaluation wait for the next one.
    this.#lookedMs = nowMs;
    this.#told?.turns(nowMs, ({ client, check, eventId }) => {
      const event = this.#clients.get(client)?.checks.get(check)?.event;
      if (event?.id !== eventId) return 'gone';
      return this.#silencedBy(client, check, nowMs).length > 0 ? 'silenced' : 'open';
    });
    this.#free(nowMs);
  }

  /** Returns `GET /clients`. */
  clients(): Body[] {
    return this.#sorted().map(({ record }) => record);
  }

  /** Returns `GET /results`. */
  results(): Body[] {
    return this.#each(({ record }, { result, history }) =>
      result === undefined
        ? undefined
        : { client: record.name, check: { ...result, output: storedOutput(result), history } },
    );
  }

  /** Returns `GET /clients/:client/history`. */
  history(client: string): Body[] {
    return this.results()
      .filter((item) => item['client'] === client)
      .map((item) => {
        const { history, ...result } = item['check'] as Body;
        return {
          check: result['name'],
          history,
          last_execution: result['executed'],
          last_status: result['status'],
          last_result: result,
        };
      });
  }

  /** Returns `GET /events`, with the model's own ids. */
  events(nowMs: number): Body[] {
    return this.#each(({ record }, { event }, name) => {
      if (event === undefined) return undefined;
      const silencedBy = this.#silencedBy(record.name, name, nowMs);
      return {
        id: event.id,
        client: record,
        check: { ...event.check, history: event.history.map(String), total_state_change: event.totalStateChange },
        occurrences: event.occurrences,
        occurrences_watermark: event.watermark,
        last_ok: event.lastOk,
        action: event.action,
        timestamp: event.timestamp,
        ...(event.lastStateChange === undefined ? {} : { last_state_change: event.lastStateChange }),
        silenced: silencedBy.length > 0,
        silenced_by: silencedBy,
      };
    });
  }

  #openOccasions(nowMs: number): ModelOccasion[] {
    return [...this.#clients.values()].flatMap((client) =>
      [...client.checks.values()].flatMap(({ event }) =>
        event === undefined ? [] : [this.#occasionOf(client, event, nowMs)],
      ),
    );
  }

  #restoreCheck(client: Client, name: string, check: Check, nowMs: number): void {
    const before = client.checks.get(name);
    const { event } = check;
    if (event !== undefined) event.marks.isNextTold = before?.event?.marks.isNextTold ?? false;
    if (isDeepStrictEqual(before, check)) return;
    client.checks.set(name, check);
    if ((before?.event === undefined) !== (event === undefined)) this.#begin(client, name, nowMs);
    if (event === undefined) this.#told?.over(client.record.name, name);
    else this.#told?.restored(this.#occasionOf(client, { ...event, marks: event.marks }, nowMs));
  }

  /** Idleness 1: records that an event begins or has resolved. */
  #begin(client: Client, name: string, nowMs: number): void {
    this.#silences.match(this.#silences.matching(subjectOf(client, name), nowMs), nowMs);
  }

  #process(name: string, check: Body, nowMs: number, isProxy: boolean): void {
    const now = seconds(nowMs);
    const client = this.#clients.get(name) ?? this.#register(name, now, isProxy);
    const checkName = String(check['name']);
    const stored = client.checks.get(checkName) ?? { result: undefined, history: [], lastOk: null, event: undefined };
    client.checks.set(checkName, stored);
    const status = Number(check['status']);
    const before = stored.event;

    stored.result = check;
    stored.history = [...stored.history, status].slice(-21);
    if (status === 0) stored.lastOk = Number(check['executed']);
    const change = totalStateChange(stored.history);
    const isFlapping = flaps(before?.action === 'flapping', change, check);

    // Reference 2.2: whatever the action is, such a result resolves and removes the event.
    const isForced = check['force_resolve'] === true;
    const isProblem = status !== 0 || isFlapping;
    if (isForced || !isProblem) {
      if (before === undefined) return;
      if (!isForced && check['auto_resolve'] === false) {
        stored.event = { ...before, oks: [] };
        return;
      }
      const oks = [...before.oks, Number(check['executed'])];
      if (!isForced && !isEnough(oks, check['resolve_after'])) {
        stored.event = { ...before, action: 'create', oks };
        return;
      }
      stored.event = undefined;
      const silences = this.#silences.matching(subjectOf(client, checkName), nowMs);
      this.#silences.match(silences, nowMs);
      for (const { id, request } of silences) {
        if (request.expire_on_resolve === true) this.#silences.remove(id);
      }
      this.#tell(client, { ...before, action: 'resolve', check, status }, nowMs);
      return;
    }
    // Recovery 1: a recovery that has begun continues; an invalid setting is ignored.
    const isLate = wishOf(check['resolve_after']) !== undefined && check['auto_resolve'] !== false;
    const isSame =
      before !== undefined && before.oks.length > 0
        ? status === before.status
        : stored.history.length > 1 && stored.history.at(-1) === stored.history.at(-2);
    const occurrences = isSame ? (before?.occurrences ?? 1) + 1 : 1;
    const carried = before === undefined ? undefined : (before.lastStateChange ?? null);
    stored.event = {
      id: before?.id ?? `event ${String(++this.#events)}`,
      action: isFlapping ? 'flapping' : 'create',
      check,
      history: stored.history,
      totalStateChange: change,
      occurrences,
      watermark: Math.max(before?.watermark ?? 1, occurrences),
      lastOk: stored.lastOk,
      timestamp: now,
      lastStateChange: isSame ? carried : now,
      status,
      oks: status === 0 && isLate ? [...(before?.oks ?? []), Number(check['executed'])] : [],
      marks: before?.marks ?? newMarks(),
    };
    if (before === undefined) {
      this.#begin(client, checkName, nowMs);
    }
    this.#tell(client, stored.event, nowMs, { isNew: before === undefined });
  }

  #renameOn(client: Client, from: string, to: string, nowMs: number): void {
    const { checks, record } = client;
    const before = checks.get(from);
    const after = checks.get(to);
    if (before === undefined) return;
    const stored = after === undefined ? before : joined(before, after);
    const isOne = before.event !== undefined && after?.event !== undefined;
    // The event resolved under its new name, so no resolve would ever be notified for the old event.
    if (after !== undefined && before.event !== undefined && !isOne) this.resolve(record.name, from, nowMs);
    const result = stored.result && { ...stored.result, name: to };
    const event = stored.event && { ...stored.event, check: { ...stored.event.check, name: to } };
    checks.delete(from);
    checks.set(to, { ...stored, result, event });
    this.#told?.renamed(
      { client: record.name, from, to },
      {
        event: event && this.#occasionOf(client, event, nowMs),
        joins: after === undefined ? undefined : isOne ? 'open' : 'other',
      },
      nowMs,
    );
    if (after === undefined && event !== undefined) this.#begin(client, to, nowMs);
  }

  #tell(client: Client, event: ToldEvent, nowMs: number, { isNew = false, isSilenceEnd = false } = {}): void {
    const occasion = { ...this.#occasionOf(client, event, nowMs), isNew, isSilenceEnd };
    const place = `${client.record.name}/${occasion.check.name}`;
    this.#told?.resolutions((resolution) => this.#isStillSilenced(resolution, nowMs), nowMs, place);
    this.#told?.occasion(occasion, nowMs);
  }

  #occasionOf(
    client: Client,
    { id, check, action, status, occurrences, marks }: ToldEvent,
    nowMs: number,
  ): ModelOccasion {
    const { record } = client;
    const name = String(check['name']);
    return {
      client: record,
      check: { ...check, name },
      eventId: id,
      action,
      status,
      occurrences,
      isNew: false,
      isSilenceEnd: false,
      silencedBy: this.#silences.matching(subjectOf(client, name), nowMs).map((silence) => silence.id),
      marks,
    };
  }

  /** True if a silence suppresses a resolution: one that covered the event when it resolved, or another one by now. */
  #isStillSilenced({ client, check, silencedBy }: ModelOccasion, nowMs: number): boolean {
    const isKnown = this.#clients.get(client.name)?.checks.has(check.name) === true;
    const isCovered = isKnown && this.#silencedBy(client.name, check.name, nowMs).length > 0;
    return isCovered || silencedBy.some((id) => this.#silences.isActive(id, nowMs));
  }

  /** Notifies events whose silences have ended, for whatever reason. */
  #free(nowMs: number): void {
    this.#told?.resolutions((resolution) => this.#isStillSilenced(resolution, nowMs), nowMs);
    for (const client of this.#clients.values()) {
      for (const [name, { event }] of client.checks) {
        if (event?.marks.isSuppressed !== true) continue;
        if (this.#silencedBy(client.record.name, name, nowMs).length > 0) event.marks.isNextTold = false;
        else if (!event.marks.isNextTold) this.#tell(client, event, nowMs, { isSilenceEnd: true });
      }
    }
  }

  /**
   * Aggregates 2: a result is sent when the status changes, and otherwise at every interval; it is deleted with
   * the members.
   */
  #look(name: string, rule: ModelRule, nowMs: number): void {
    const told = this.#clients.get(AGGREGATES_CLIENT)?.checks.get(name);
    const members = this.#members(rule, nowMs);
    if (members.length === 0) {
      if (told !== undefined) this.#forgetRule(name, nowMs);
      return;
    }
    if (!this.#isDue(name, rule, members, nowMs)) return;
    const now = seconds(nowMs);
    const check = {
      ...rule.check,
      name,
      output: '',
      status: statusOfRule(rule, members, { now, started: seconds(this.#startedMs) }),
      interval: rule.interval,
      standalone: true,
      aggregates: [],
      type: 'standard',
      executed: now,
      issued: now,
    };
    this.#process(AGGREGATES_CLIENT, check, nowMs, false);
  }

  /** Returns checks of rules that no longer exist. */
  #goneRules(): string[] {
    const { rules = {} } = this.#settings;
    return [...(this.#clients.get(AGGREGATES_CLIENT)?.checks.keys() ?? [])].filter((name) => !(name in rules));
  }

  #forgetRule(name: string, nowMs: number): void {
    this.resolve(AGGREGATES_CLIENT, name, nowMs);
    this.#clients.get(AGGREGATES_CLIENT)?.checks.delete(name);
  }

  #isDue(name: string, rule: ModelRule, members: readonly ModelMember[], nowMs: number): boolean {
    const last = this.#clients.get(AGGREGATES_CLIENT)?.checks.get(name)?.result;
    const now = seconds(nowMs);
    const status = statusOfRule(rule, members, { now, started: seconds(this.#startedMs) });
    return last?.['status'] !== status || now - Number(last['executed']) >= rule.interval;
  }

  /** Returns when an evaluation of an aggregate has an effect. */
  #looks(nowMs: number): number[] {
    if (this.#goneRules().length > 0) return [this.#lookFrom(nowMs + 1)];
    return Object.entries(this.#settings.rules ?? {}).flatMap(([name, rule]) => {
      const members = this.#members(rule, nowMs);
      const last = this.#clients.get(AGGREGATES_CLIENT)?.checks.get(name)?.result;
      if (members.length === 0) return last === undefined ? [] : [this.#lookFrom(nowMs + 1)];
      if (this.#isDue(name, rule, members, nowMs)) return [this.#lookFrom(nowMs + 1)];
      const turns = [
        Number(last?.['executed']) + rule.interval,
        ...turnsOfRule(rule, members, seconds(this.#startedMs)),
      ];
      return turns.map((second) => this.#lookFrom(Math.max(nowMs + 1, second * 1000)));
    });
  }

  #lookFrom(ms: number): number {
    return this.#startedMs + Math.ceil((ms - this.#startedMs) / LOOK_MS) * LOOK_MS;
  }

  #members({ aggregate }: ModelRule, nowMs: number): ModelMember[] {
    return [...this.#clients.values()].flatMap((client) =>
      [...client.checks].flatMap(([name, { result, event }]) => {
        if (!Array.isArray(result?.['aggregates']) || !result['aggregates'].includes(aggregate)) return [];
        const isSilenced = event !== undefined && this.#silencedBy(client.record.name, name, nowMs).length > 0;
        return [{ status: Number(result['status']), executed: Number(result['executed']), isSilenced }];
      }),
    );
  }

  #openSubjects(): ModelSubject[] {
    return [...this.#clients.values()].flatMap((client) =>
      [...client.checks].flatMap(([name, { event }]) => (event === undefined ? [] : [subjectOf(client, name)])),
    );
  }

  #silencedBy(clientName: string, check: string, nowMs: number): string[] {
    const client = this.#clients.get(clientName);
    return client === undefined ? [] : this.#silences.matching(subjectOf(client, check), nowMs).map(({ id }) => id);
  }

  #register(name: string, timestamp: number, isProxy: boolean): Client {
    const record = {
      name,
      address: 'unknown',
      subscriptions: [`client:${name}`],
      keepalives: false,
      version: '1.9.0',
      timestamp,
      ...(isProxy ? { type: 'proxy' } : {}),
    };
    const client = { record, checks: new Map<string, Check>() };
    this.#clients.set(name, client);
    return client;
  }

  #sorted(): Client[] {
    return sortedBy([...this.#clients.values()], ({ record }) => record.name);
  }

  #each(show: (client: Client, check: Check, name: string) => Body | undefined): Body[] {
    return this.#sorted().flatMap((client) =>
      sortedBy([...client.checks], ([name]) => name)
        .map(([name, check]) => show(client, check, name))
        .filter((shown) => shown !== undefined),
    );
  }
}

/** Returns a check on a client as silences evaluate it. */
function subjectOf({ record, checks }: Client, name: string): ModelSubject {
  const stored = checks.get(name);
  return { client: record, check: { ...(stored?.result ?? stored?.event?.check), name } };
}

/** Monctl, check rename: the results of the new name decide, those of the old one are inserted before them. */
function joined(before: Check, after: Check): Check {
  const history = [...before.history, ...after.history].slice(-21);
  const { event } = after;
  const lastOk = after.lastOk ?? before.lastOk;
  if (event === undefined) return { ...after, history, lastOk };
  // An event that stays open after an OK is shown as it was built.
  const shown = event.history === after.history ? history : event.history;
  const own = { ...event, history: shown };
  return { ...after, history, lastOk, event: before.event === undefined ? own : oneOf(before.event, own) };
}

function oneOf(before: Event, after: Event): Event {
  const isSame = before.status === after.status;
  const occurrences = isSame ? before.occurrences + after.occurrences : after.occurrences;
  return {
    ...after,
    id: before.id,
    occurrences,
    watermark: Math.max(before.watermark, after.watermark, occurrences),
    lastStateChange: isSame ? before.lastStateChange : after.lastStateChange,
    lastOk: after.lastOk ?? before.lastOk,
    marks: joinedMarks(before.marks, after.marks, after.check),
  };
}

/**
 * Recovery 1: returns the required number of successive OK results, or the seconds from the first to the last;
 * `undefined` if one is sufficient.
 */
function wishOf(after: unknown): { readonly results: number } | { readonly seconds: number } | undefined {
  if (typeof after === 'number') return { results: after };
  const [, count = '', unit = ''] = /^(\d+)([sm])$/.exec(String(after)) ?? [];
  return count === '' ? undefined : { seconds: Number(count) * (unit === 'm' ? 60 : 1) };
}

function isEnough(oks: readonly number[], after: unknown): boolean {
  const wish = wishOf(after);
  if (wish === undefined) return true;
  return 'results' in wish ? oks.length >= wish.results : (oks.at(-1) ?? 0) - Math.min(...oks) >= wish.seconds;
}

/** 1.5: walks from oldest to newest; the change into entry i weighs 0.80 + 0.02 i. */
function totalStateChange(history: readonly number[]): number {
  if (history.length < 21) return 0;
  let sum = 0;
  let weight = 0.8;
  for (const [at, status] of history.entries()) {
    if (at > 0 && String(status) !== String(history[at - 1])) sum += weight;
    weight += 0.02;
  }
  return Math.trunc((sum / 20) * 100);
}

function flaps(was: boolean, change: number, check: Body): boolean {
  const [low, high] = [check['low_flap_threshold'], check['high_flap_threshold']];
  if (!Number.isInteger(low) || !Number.isInteger(high)) return false;
  return was ? change > Number(low) : change >= Number(high);
}

/** Legacy-peer, State machine: returns the first line only, with one character more than the length says. */
function storedOutput(check: Body): unknown {
  const output = String(check['output']);
  const isCut = check['truncate_output'] === true || (check['type'] === 'metric' && check['truncate_output'] !== false);
  if (!isCut) return output;
  const length = Number(check['truncate_output_length'] ?? 255);
  const [line = '', ...more] = output.replace(/\n+$/, '').split('\n');
  const characters = Array.from(line);
  if (characters.length > length) return `${characters.slice(0, length + 1).join('')}\n...`;
  return more.length > 0 ? `${line}\n...` : line;
}

function seconds(ms: number): number {
  return Math.floor(ms / 1000);
}

function sortedBy<T>(items: readonly T[], key: (item: T) => string): T[] {
  return items.toSorted((a, b) => (key(a) < key(b) ? -1 : key(a) > key(b) ? 1 : 0));
}
