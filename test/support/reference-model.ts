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
 * The rules of results, events, silences and clients once more, written from the specification (completion 1.2 to 1.7)
 * and from nothing else: plain lists, no packing, no indexes, no batches. What the backend answers must be what this
 * answers. Times are epoch milliseconds where the name says so, and epoch seconds otherwise.
 */

/** A result as it is posted; with `source`, the name of its client. */
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
  /** Counts the events that ever were: the real id is a UUID. */
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
  /** When each OK in a row was executed, while the event waits for more of them. */
  readonly oks: readonly number[];
  readonly marks: ModelMarks;
}

type ToldEvent = Omit<Event, 'action'> & Pick<ModelOccasion, 'action'>;

interface Check {
  /** The last result; undefined after it was deleted while its event stays. */
  result: Body | undefined;
  history: number[];
  lastOk: number | null;
  event: Event | undefined;
}

interface Client {
  record: { readonly name: string; readonly subscriptions: readonly string[]; readonly [attribute: string]: unknown };
  readonly checks: Map<string, Check>;
}

/** What there is beside results, events, silences and clients. */
export interface ModelSettings {
  /** Default: nobody is told of anything. */
  readonly handlers?: ModelHandlers;
  /** By the names of their checks. */
  readonly rules?: Readonly<Record<string, ModelRule>>;
  /** Seconds before the end of a silence. */
  readonly reminder?: number;
  /** Default: no silence is idle. */
  readonly idle?: ModelIdleRules;
}

/** What there was at some moment. */
export interface ModelDump {
  readonly clients: Map<string, Client>;
  readonly silences: ModelSilences;
}

const AGGREGATES_CLIENT = 'mon.aggregates';

/** How often aggregates are looked at. */
const LOOK_MS = 1000;

export class ReferenceModel {
  #clients = new Map<string, Client>();
  #silences = new ModelSilences();
  readonly #definitions: ReadonlyMap<string, Body>;
  #settings: ModelSettings;
  readonly #told: ModelTold | undefined;
  #events = 0;
  /** When the backend was started. */
  #startedMs = 0;
  #lookedMs = 0;

  constructor(definitions: Readonly<Record<string, Body>> = {}, settings: ModelSettings = {}) {
    this.#definitions = new Map(Object.entries(definitions));
    this.#settings = settings;
    const { handlers } = settings;
    if (handlers !== undefined) this.#told = new ModelTold(handlers, (...kept) => this.#silences.count(...kept));
  }

  /** A model that goes on from here by itself; it tells nobody of anything. */
  copy(): ReferenceModel {
    const copy = new ReferenceModel(Object.fromEntries(this.#definitions));
    copy.#clients = structuredClone(this.#clients);
    copy.#silences = this.#silences.copy();
    copy.#events = this.#events;
    return copy;
  }

  /** 1.4 in its order: merge, store with history, build the event, let silences end, update the registry. */
  post(result: ModelResult, nowMs: number, reporter = 'sensu-api'): void {
    const now = seconds(nowMs);
    const definition = this.#definitions.get(result.name);
    const merged = result['standalone'] === true ? undefined : definition;
    this.#process(
      result.source ?? reporter,
      {
        ...(merged === undefined ? {} : { ...merged, name: result.name }),
        ...result,
        // Recorded exchange `proxy merge command`, and the same of a standalone result.
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

  /** @returns false: there is no such event (404) */
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

  /** @returns false: there is no such result (404) */
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
   * `monctl check rename`.
   *
   * @param isForced although the old name is still defined, and where a client has both
   * @returns the status of the answer
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

  /** @returns false: there is no such client (404) */
  deleteClient(name: string, nowMs: number): boolean {
    const client = this.#clients.get(name);
    if (client === undefined) return false;
    for (const check of client.checks.keys()) this.resolve(name, check, nowMs);
    return this.#clients.delete(name);
  }

  /** @returns false: what is there recurs, and is not replaced (409) */
  silence(request: ModelSilenceRequest, nowMs: number): boolean {
    return this.#silences.put(request, nowMs);
  }

  /** @returns the status of the answer */
  hold(hold: ModelHold, nowMs: number): number {
    return this.#silences.hold(hold, nowMs);
  }

  /** @returns the status of the answer */
  release(release: ModelRelease, nowMs: number): number {
    return this.#silences.release(release, nowMs);
  }

  /** @returns false: there is no such entry (404) */
  clear(id: string, nowMs: number): boolean {
    return this.#silences.clear(id, nowMs);
  }

  /** `GET /silenced` */
  silenced(nowMs: number): Body[] {
    return this.#silences.list(nowMs);
  }

  /** `GET /api/mon/v1/silenced` */
  silencedDetails(nowMs: number): Body[] {
    return this.#silences.details(nowMs);
  }

  /** Since when silences matched nothing, by their ids. */
  unmatchedSilences(nowMs: number): Body {
    return this.#silences.unmatched(nowMs);
  }

  /** What handlers were told since the last time. */
  takeSaid(): readonly string[] {
    return this.#told?.takeSaid() ?? [];
  }

  groups(): readonly unknown[] {
    return this.#told?.groups() ?? [];
  }

  inhibitors(): Body {
    return this.#told?.inhibitors() ?? {};
  }

  /** The backend was started, for the first time or again. */
  start(nowMs: number): void {
    this.#startedMs = nowMs;
    this.#lookedMs = nowMs;
    this.#silences.restart();
  }

  /** What a dump holds. */
  dump(): ModelDump {
    return { clients: structuredClone(this.#clients), silences: this.#silences.copy() };
  }

  /** What was dumped a moment ago is all that a new backend knows. */
  moved(nowMs: number): void {
    for (const client of this.#clients.values()) {
      for (const [name, { event }] of client.checks) if (event !== undefined) this.#begin(client, name, nowMs);
    }
    const open = this.#openOccasions(nowMs);
    this.#told?.moved(open);
  }

  /** `monctl restore`: what was dumped is as it was, and what there is beside it stays. */
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

  /** The configuration is another one, but for whether there are handlers. */
  reload(settings: ModelSettings, nowMs: number): void {
    this.#settings = settings;
    if (settings.handlers !== undefined) this.#told?.reload(settings.handlers, this.#openOccasions(nowMs), nowMs);
  }

  /** When something happens by itself next: at `nowMs` or later. */
  nextMoment(nowMs: number): number {
    const { reminder = 0, idle } = this.#settings;
    const moments = [
      ...this.#silences.moments({ reminder, idle }, this.#openSubjects(), this.#startedMs, nowMs),
      ...(this.#told?.moments() ?? []),
      ...this.#looks(nowMs),
    ];
    return Math.min(...moments.filter((ms) => ms > nowMs));
  }

  /** Does what is due: silences end, are pointed out and marked, aggregates are looked at, groups are told. */
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
    // What comes at the very moment of a look waits for the next one.
    this.#lookedMs = nowMs;
    this.#told?.turns(nowMs, ({ client, check, eventId }) => {
      const event = this.#clients.get(client)?.checks.get(check)?.event;
      if (event?.id !== eventId) return 'gone';
      return this.#silencedBy(client, check, nowMs).length > 0 ? 'silenced' : 'open';
    });
    this.#free(nowMs);
  }

  /** `GET /clients` */
  clients(): Body[] {
    return this.#sorted().map(({ record }) => record);
  }

  /** `GET /results` */
  results(): Body[] {
    return this.#each(({ record }, { result, history }) =>
      result === undefined
        ? undefined
        : { client: record.name, check: { ...result, output: storedOutput(result), history } },
    );
  }

  /** `GET /clients/:client/history` */
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

  /** `GET /events`, with the model's own ids */
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

  /** Idleness 1: an event begins, or is over. */
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

    // Reference 2.2: whatever the action is, such a result resolves and removes.
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
    // Recovery 1: who had begun to recover goes on where it was; a wish that is none asks for nothing.
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
    // It is over under its new name, so nobody would ever hear of the end of the old event.
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
    this.#told?.occasion({ ...this.#occasionOf(client, event, nowMs), isNew, isSilenceEnd }, nowMs);
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

  /** Whatever ended the silences that kept somebody from being told: now they are. */
  #free(nowMs: number): void {
    for (const client of this.#clients.values()) {
      for (const [name, { event }] of client.checks) {
        if (event?.marks.isSuppressed !== true) continue;
        if (this.#silencedBy(client.record.name, name, nowMs).length > 0) event.marks.isNextTold = false;
        else if (!event.marks.isNextTold) this.#tell(client, event, nowMs, { isSilenceEnd: true });
      }
    }
  }

  /** Aggregates 2: told when the status is another one, and else every interval; gone with the members. */
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

  /** Checks of what is no rule any more. */
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

  /** When a look at an aggregate comes to something. */
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

/** A check on a client as silences see it. */
function subjectOf({ record, checks }: Client, name: string): ModelSubject {
  const stored = checks.get(name);
  return { client: record, check: { ...(stored?.result ?? stored?.event?.check), name } };
}

/** Monctl, check rename: the results of the new name decide, those of the old one go before them. */
function joined(before: Check, after: Check): Check {
  const history = [...before.history, ...after.history].slice(-21);
  const { event } = after;
  const lastOk = after.lastOk ?? before.lastOk;
  if (event === undefined) return { ...after, history, lastOk };
  // One that outlives an OK is shown as it was built.
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

/** Recovery 1: a number of OK in a row, or seconds from the first to the last of them; undefined: one will do. */
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

/** 1.5: walk from oldest to newest, the change into entry i weighs 0.80 + 0.02 i. */
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

/** Legacy-peer, State machine: first line only, and one character more than the length says. */
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
