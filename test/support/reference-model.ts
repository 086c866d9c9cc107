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
 * A second implementation of results, events, silences and clients for comparison, written only from the specification
 * (completion 1.2 to 1.7). It uses plain lists, without packing, indexes and batches. The responses of the backend must
 * equal those of this model. Times whose name has the suffix Ms, such as `nowMs`, are epoch milliseconds; all others
 * are epoch seconds.
 */

/** A result that is posted to the API; `source` is the name of its client. */
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
  /** The id of the event in the model: a sequential number. The backend uses UUIDs. */
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
  /** Execution times of the consecutive OK results of an event that needs more of them to resolve; otherwise empty. */
  readonly oks: readonly number[];
  readonly marks: ModelMarks;
}

type NotifiedEvent = Omit<Event, 'action'> & Pick<ModelOccasion, 'action'>;

interface Check {
  /** The last result; `undefined` if it was deleted while its event remains. */
  result: Body | undefined;
  history: number[];
  lastOk: number | null;
  event: Event | undefined;
}

interface Client {
  record: { readonly name: string; readonly subscriptions: readonly string[]; readonly [attribute: string]: unknown };
  readonly checks: Map<string, Check>;
}

/** Settings of the modeled backend, apart from its check definitions. */
export interface ModelSettings {
  /** Handlers of the backend; default: none. */
  readonly handlers?: ModelHandlers;
  /** Aggregate rules by name; each rule has a check of the same name. */
  readonly rules?: Readonly<Record<string, ModelRule>>;
  /**
   * Number of seconds before the end of a silence at which a reminder is sent; default: 0, which disables reminders.
   */
  readonly reminder?: number;
  /** Settings for idle silences; by default no silence becomes idle. */
  readonly idle?: ModelIdleRules;
}

/** The state that a dump of the backend contains. */
export interface ModelDump {
  readonly clients: Map<string, Client>;
  readonly silences: ModelSilences;
}

const AGGREGATES_CLIENT = 'mon.aggregates';

/** Interval in milliseconds at which a backend evaluates aggregates. */
const LOOK_MS = 1000;

export class ReferenceModel {
  #clients = new Map<string, Client>();
  #silences = new ModelSilences();
  readonly #definitions: ReadonlyMap<string, Body>;
  #settings: ModelSettings;
  readonly #notifications: ModelTold | undefined;
  #events = 0;
  /** Time of the last start of the backend. */
  #startedMs = 0;
  #lookedMs = 0;

  constructor(definitions: Readonly<Record<string, Body>> = {}, settings: ModelSettings = {}) {
    this.#definitions = new Map(Object.entries(definitions));
    this.#settings = settings;
    const { handlers } = settings;
    if (handlers !== undefined)
      this.#notifications = new ModelTold(handlers, (...kept) => this.#silences.count(...kept));
  }

  /** Returns an independent copy of the model, without handlers. */
  copy(): ReferenceModel {
    const copy = new ReferenceModel(Object.fromEntries(this.#definitions));
    copy.#clients = structuredClone(this.#clients);
    copy.#silences = this.#silences.copy();
    copy.#events = this.#events;
    return copy;
  }

  /**
   * Processes a posted result in the specified order: merge it with the definition, store it with its history, create
   * the event, end silences (completion 1.4).
   */
  post(result: ModelResult, nowMs: number, reporter = 'sensu-api'): void {
    const now = seconds(nowMs);
    const definition = this.#definitions.get(result.name);
    const merged = result['standalone'] === true ? undefined : definition;
    this.#process(
      result.source ?? reporter,
      {
        ...(merged === undefined ? {} : { ...merged, name: result.name }),
        ...result,
        // The recorded exchange `proxy merge command` shows this for results with a source; a standalone result is
        // merged in the same way.
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
   * @returns `false` if no such event exists (404)
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
   * @returns `false` if no such result exists (404)
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
   * Renames a check on all clients, as `monctl check rename` does.
   *
   * @param isForced true to rename even if the old name is still defined, or a client has checks with both names
   * @returns the expected status of the response
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
   * @returns `false` if no such client exists (404)
   */
  deleteClient(name: string, nowMs: number): boolean {
    const client = this.#clients.get(name);
    if (client === undefined) return false;
    for (const check of client.checks.keys()) this.resolve(name, check, nowMs);
    return this.#clients.delete(name);
  }

  /**
   * Creates or replaces a silence.
   *
   * @returns `false` if the request would replace a recurring silence, which is rejected (409)
   */
  silence(request: ModelSilenceRequest, nowMs: number): boolean {
    return this.#silences.put(request, nowMs);
  }

  /**
   * Creates or renews the silence of a maintenance run.
   *
   * @returns the expected status of the response
   */
  hold(hold: ModelHold, nowMs: number): number {
    return this.#silences.hold(hold, nowMs);
  }

  /**
   * Ends the silence of a maintenance run.
   *
   * @returns the expected status of the response
   */
  release(release: ModelRelease, nowMs: number): number {
    return this.#silences.release(release, nowMs);
  }

  /**
   * Clears a silence.
   *
   * @returns `false` if no such silence exists (404)
   */
  clear(id: string, nowMs: number): boolean {
    return this.#silences.clear(id, nowMs);
  }

  /** Returns the expected response to `GET /silenced`. */
  silenced(nowMs: number): Body[] {
    return this.#silences.list(nowMs);
  }

  /** Returns the expected response to `GET /api/mon/v1/silenced`. */
  silencedDetails(nowMs: number): Body[] {
    return this.#silences.details(nowMs);
  }

  /** Returns the time since when each silence has matched no event, by id. */
  unmatchedSilences(nowMs: number): Body {
    return this.#silences.unmatched(nowMs);
  }

  /** Returns the notifications since the last call, as text. */
  takeSaid(): readonly string[] {
    return this.#notifications?.takeNotifications() ?? [];
  }

  groups(): readonly unknown[] {
    return this.#notifications?.groups() ?? [];
  }

  inhibitors(): Body {
    return this.#notifications?.inhibitors() ?? {};
  }

  /** Records that the backend was started. */
  start(nowMs: number): void {
    this.#startedMs = nowMs;
    this.#lookedMs = nowMs;
    this.#silences.restart();
  }

  /** Returns the state that a dump contains. */
  dump(): ModelDump {
    return { clients: structuredClone(this.#clients), silences: this.#silences.copy() };
  }

  /** Moves to a new backend, which knows only what was dumped just before. */
  moved(nowMs: number): void {
    for (const client of this.#clients.values()) {
      for (const [name, { event }] of client.checks) if (event !== undefined) this.#begin(client, name, nowMs);
    }
    const open = this.#openOccasions(nowMs);
    this.#notifications?.moved(open);
  }

  /** Restores a dump, as `monctl restore` does: dumped objects get their dumped state, and other objects stay. */
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

  /** Applies another configuration. It must have handlers exactly if the previous one has. */
  reload(settings: ModelSettings, nowMs: number): void {
    this.#settings = settings;
    if (settings.handlers !== undefined)
      this.#notifications?.reload(settings.handlers, this.#openOccasions(nowMs), nowMs);
  }

  /** Returns the time after `nowMs` at which the next change without a request happens; `Infinity` if there is none. */
  nextMoment(nowMs: number): number {
    const { reminder = 0, idle } = this.#settings;
    const moments = [
      ...this.#silences.moments({ reminder, idle }, this.#openSubjects(), this.#startedMs, nowMs),
      ...(this.#notifications?.moments() ?? []),
      ...this.#looks(nowMs),
    ];
    return Math.min(...moments.filter((ms) => ms > nowMs));
  }

  /**
   * Performs the changes that are due now: silences end, get reminders or become idle, aggregates are evaluated, and
   * groups are flushed.
   */
  settle(nowMs: number): void {
    const { reminder = 0, idle, rules = {} } = this.#settings;
    const open = this.#openSubjects();
    this.#silences.expire(nowMs, open);
    if (reminder > 0) this.#notifications?.reminders(this.#silences.remind(open, reminder, nowMs));
    if (idle !== undefined && nowMs > this.#lookedMs && isIdleLook(nowMs, this.#startedMs)) {
      this.#silences.lookForIdle(open, idle, nowMs);
    }
    if (nowMs > this.#lookedMs && (nowMs - this.#startedMs) % LOOK_MS === 0) {
      for (const [name, rule] of Object.entries(rules)) this.#look(name, rule, nowMs);
      for (const name of this.#goneRules()) this.#forgetRule(name, nowMs);
    }
    // Aggregates are evaluated once at each time: changes at the same moment are seen by the next evaluation.
    this.#lookedMs = nowMs;
    this.#notifications?.flushDueGroups(nowMs, ({ client, check, eventId }) => {
      const event = this.#clients.get(client)?.checks.get(check)?.event;
      if (event?.id !== eventId) return 'gone';
      return this.#silencedBy(client, check, nowMs).length > 0 ? 'silenced' : 'open';
    });
    this.#free(nowMs);
  }

  /** Returns the expected response to `GET /clients`. */
  clients(): Body[] {
    return this.#sorted().map(({ record }) => record);
  }

  /** Returns the expected response to `GET /results`. */
  results(): Body[] {
    return this.#each(({ record }, { result, history }) =>
      result === undefined
        ? undefined
        : { client: record.name, check: { ...result, output: storedOutput(result), history } },
    );
  }

  /** Returns the expected response to `GET /clients/:client/history`. */
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

  /** Returns the expected response to `GET /events`, with the event ids of the model. */
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
    if (event === undefined) this.#notifications?.removeInhibitor(client.record.name, name);
    else this.#notifications?.restored(this.#occasionOf(client, { ...event, marks: event.marks }, nowMs));
  }

  /** Records for idle silences that an event has begun or resolved (idleness 1). */
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

    // A result with `force_resolve` resolves and removes the event, whatever its action is (reference 2.2).
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
      this.#notify(client, { ...before, action: 'resolve', check, status }, nowMs);
      return;
    }
    // A recovery that has begun continues. An invalid `resolve_after` is ignored (recovery 1).
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
    this.#notify(client, stored.event, nowMs, { isNew: before === undefined });
  }

  #renameOn(client: Client, from: string, to: string, nowMs: number): void {
    const { checks, record } = client;
    const before = checks.get(from);
    const after = checks.get(to);
    if (before === undefined) return;
    const stored = after === undefined ? before : joined(before, after);
    const isOne = before.event !== undefined && after?.event !== undefined;
    // The check's event under the new name has resolved, so the old event must be resolved now; no later result would
    // do it.
    if (after !== undefined && before.event !== undefined && !isOne) this.resolve(record.name, from, nowMs);
    const result = stored.result && { ...stored.result, name: to };
    const event = stored.event && { ...stored.event, check: { ...stored.event.check, name: to } };
    checks.delete(from);
    checks.set(to, { ...stored, result, event });
    this.#notifications?.renamed(
      { client: record.name, from, to },
      {
        event: event && this.#occasionOf(client, event, nowMs),
        joins: after === undefined ? undefined : isOne ? 'open' : 'other',
      },
      nowMs,
    );
    if (after === undefined && event !== undefined) this.#begin(client, to, nowMs);
  }

  #notify(client: Client, event: NotifiedEvent, nowMs: number, { isNew = false, isSilenceEnd = false } = {}): void {
    const occasion = { ...this.#occasionOf(client, event, nowMs), isNew, isSilenceEnd };
    const place = `${client.record.name}/${occasion.check.name}`;
    this.#notifications?.resolutions((resolution) => this.#isStillSilenced(resolution, nowMs), nowMs, place);
    this.#notifications?.occasion(occasion, nowMs);
  }

  #occasionOf(
    client: Client,
    { id, check, action, status, occurrences, marks }: NotifiedEvent,
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

  /**
   * True if a silence still suppresses a resolution: a silence that covered the event when it resolved and is still
   * active, or another one that covers the check now.
   */
  #isStillSilenced({ client, check, silencedBy }: ModelOccasion, nowMs: number): boolean {
    const isKnown = this.#clients.get(client.name)?.checks.has(check.name) === true;
    const isCovered = isKnown && this.#silencedBy(client.name, check.name, nowMs).length > 0;
    return isCovered || silencedBy.some((id) => this.#silences.isActive(id, nowMs));
  }

  /**
   * Handles the events whose silences have ended, for whatever reason, so that their suppressed notifications are sent.
   */
  #free(nowMs: number): void {
    this.#notifications?.resolutions((resolution) => this.#isStillSilenced(resolution, nowMs), nowMs);
    for (const client of this.#clients.values()) {
      for (const [name, { event }] of client.checks) {
        if (event?.marks.isSuppressed !== true) continue;
        if (this.#silencedBy(client.record.name, name, nowMs).length > 0) event.marks.isNextTold = false;
        else if (!event.marks.isNextTold) this.#notify(client, event, nowMs, { isSilenceEnd: true });
      }
    }
  }

  /**
   * Evaluates an aggregate rule: its result is sent when the status changes, and at the rule's interval. It is deleted
   * when the aggregate has no members (aggregates 2).
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

  /** Returns the names of checks whose aggregate rule no longer exists. */
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

  /** Returns the times at which an evaluation of an aggregate rule has an effect. */
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

/** Returns a check of a client in the form in which silences evaluate it. */
function subjectOf({ record, checks }: Client, name: string): ModelSubject {
  const stored = checks.get(name);
  return { client: record, check: { ...(stored?.result ?? stored?.event?.check), name } };
}

/**
 * Merges two checks of a client after a rename: the results of the new name are the current ones, and those of the old
 * name precede them in the history (monctl, check rename).
 */
function joined(before: Check, after: Check): Check {
  const history = [...before.history, ...after.history].slice(-21);
  const { event } = after;
  const lastOk = after.lastOk ?? before.lastOk;
  if (event === undefined) return { ...after, history, lastOk };
  // An event that stayed open after an OK result keeps the history that it had before that result.
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
 * Returns what `resolve_after` requires: a number of consecutive OK results, or a number of seconds from the first to
 * the last of them; `undefined` if one OK result is sufficient (recovery 1).
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

/**
 * Returns the state change percentage, weighted from the oldest to the newest status: a change into entry i weighs 0.80
 * + 0.02 i (completion 1.5).
 */
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

/**
 * Returns the output as it is stored. A truncated output is the first line, with one character more than the configured
 * length (legacy-peer, State machine).
 */
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
