import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { isDeepStrictEqual } from 'node:util';
import { vi } from 'vitest';
import type { Backend } from '../../daemon/backend/compose.ts';
import { loadConfig } from '../../daemon/backend/config/load-config.ts';
import { RESTORE_MAX, type DumpPage, type RestoreResponse } from '../../shared/schemas/restore.ts';
import { administratorOf } from '../support/administrator.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { searchText, type ModelSearch } from '../support/model-search.ts';
import { ModelSilences } from '../support/model-silences.ts';
import { PATIENCE } from '../support/patience.ts';
import { openBackend } from '../support/open-backend.ts';
import { ReferenceModel } from '../support/reference-model.ts';
import { FIRST_CONFIG, flagsOf, settingsOf, type ModelConfig } from './model-settings.ts';
import { DEFINITIONS, type Step } from './model-steps.ts';
import { expectTimelineMatchesEvents } from './past-of-now.ts';
import { ToldReceiver } from './told-receiver.ts';

/** Default timeout for the effects of a step whose response arrives before the step is complete. */

const PATIENCE_MS = 10_000;
/** Timeout after the first failure, while fast-check searches for a shorter failing story. */
const HURRY_MS = 1000;
const PAUSE_MS = 2;
/** Number of commits after which a reload has taken effect: more than the few events of a story require. */
const COMMITS_OF_A_RELOAD = 8;
/**
 * Time after which the test corrects a wrong clock. A clock that is wrong for longer, or at a start, is accepted as
 * right; `time.test.ts` tests that.
 */
const WRONG_MS = 3_000_000;
/** Number of objects per restore request when the state moves: small, so that several requests are needed. */
const PAGE = 3;

type Answers = Readonly<Record<string, unknown>>;
type Rows = readonly Answers[];

interface SilenceRow {
  readonly id: string;
  readonly selector?: string;
}

/** The state of the backend and of the model at the moment of a dump. */
interface Dumped {
  readonly objects: readonly object[];
  readonly model: ReturnType<ReferenceModel['dump']>;
}

/** A backend and the reference model, which get the same requests and must have the same state. */
export class ModelPair implements AsyncDisposable {
  static #patienceMs = PATIENCE_MS;
  readonly #clock = new ManualClock();
  readonly #model = new ReferenceModel({ ...DEFINITIONS }, settingsOf(FIRST_CONFIG));
  #dir: string;
  readonly #receiver: ToldReceiver;
  readonly #actualIds = new IdNames();
  readonly #expectedIds = new IdNames();
  #backend: Backend;
  #config = FIRST_CONFIG;
  #dumped: Dumped | undefined;
  /** Error of the machine's clock in milliseconds; `#offSinceMs` is the time since when it is wrong. */
  #offMs = 0;
  #offSinceMs = 0;
  /** Number of the receiver's notifications that were already compared. */
  #comparedNotifications = 0;

  private constructor(dir: string, receiver: ToldReceiver, backend: Backend) {
    this.#dir = dir;
    this.#receiver = receiver;
    this.#backend = backend;
  }

  static async open(): Promise<ModelPair> {
    const dir = await mkdtemp(join(tmpdir(), 'mon-test-'));
    const receiver = await ToldReceiver.open();
    const pair = new ModelPair(dir, receiver, {
      url: '',
      config: await loadConfig({ directories: [], env: {} }),
      reload: () => Promise.resolve(),
      stop: () => Promise.resolve(),
      leadershipLost: new Promise(() => undefined),
    });
    await pair.#start();
    return pair;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#backend.stop();
    await this.#receiver[Symbol.asyncDispose]();
    await rm(this.#dir, { recursive: true, force: true });
  }

  /**
   * Runs all steps of a story, and then waits until no notification is pending.
   *
   * @throws AssertionError if the backend and the model differ
   */
  async play(story: readonly Step[]): Promise<void> {
    for (const given of story) await this.#applyStep(given);
    await this.#idle();
    await this.#settle();
    await expectTimelineMatchesEvents(this.#backend.url);
  }

  /** Applies a step to the backend and the model, and compares them whenever the step has an effect. */
  async #applyStep(given: Step): Promise<void> {
    await this.#runStep(given);
    if (given.do === 'wait') await this.#wait(given.ms);
    else await this.#settle();
  }

  async #runStep(given: Step): Promise<unknown> {
    const nowMs = this.#clock.steady();
    const model = this.#model;
    switch (given.do) {
      case 'post':
        model.post(given.result, nowMs);
        return this.#ask('POST', '/results', 202, given.result);
      case 'post all':
        for (const each of given.results) model.post(each, nowMs);
        return this.#ask('POST', '/api/mon/v1/results', 202, given.results);
      case 'resolve': {
        const expected = model.resolve(given.client, given.check, nowMs) ? 202 : 404;
        return given.by === 'POST'
          ? this.#ask('POST', '/resolve', expected, { client: given.client, check: given.check })
          : this.#ask('DELETE', `/events/${given.client}/${given.check}`, expected);
      }
      case 'delete result': {
        const expected = model.deleteResult(given.client, given.check) ? 204 : 404;
        return this.#ask('DELETE', `/results/${given.client}/${given.check}`, expected);
      }
      case 'rename': {
        const { from, to, isForced } = given;
        const expected = model.rename({ from, to, isForced }, nowMs);
        return this.#ask('POST', `/api/mon/v1/checks/${from}/rename`, expected, { to, force: isForced });
      }
      case 'put client':
        model.putClient(given.client, nowMs);
        return this.#ask('POST', '/clients', 201, given.client);
      case 'delete client': {
        const expected = model.deleteClient(given.client, nowMs) ? 202 : 404;
        return this.#ask('DELETE', `/clients/${given.client}`, expected);
      }
      case 'silence': {
        const { beginsInSeconds } = given;
        const begin = beginsInSeconds === undefined ? {} : { begin: Math.floor(nowMs / 1000) + beginsInSeconds };
        const request = { ...given.request, ...begin };
        const expected = model.silence(request, nowMs) ? 201 : 409;
        const isOurs = request.selector !== undefined || request.recurrence !== undefined;
        return this.#ask('POST', isOurs ? '/api/mon/v1/silenced' : '/silenced', expected, written(request));
      }
      case 'hold':
        return this.#ask('POST', '/api/mon/v1/silenced/hold', model.hold(given.hold, nowMs), written(given.hold));
      case 'release':
        return this.#ask(
          'POST',
          '/api/mon/v1/silenced/release',
          model.release(given.release, nowMs),
          written(given.release),
        );
      case 'clear': {
        const id = await this.#idOf(given.target);
        const expected = model.clear(ModelSilences.idOf(given.target), nowMs) ? 204 : 404;
        return given.by === 'POST'
          ? this.#ask('POST', '/silenced/clear', expected, { id })
          : this.#ask('DELETE', `/silenced/ids/${id}`, expected);
      }
      case 'wait':
        return;
      case 'set clock':
        return this.#setClock(given.seconds * 1000);
      case 'set right':
        return this.#setClock(-this.#offMs);
      case 'restart':
        this.#setClock(-this.#offMs);
        await this.#backend.stop();
        this.#clock.advance(given.awayMs);
        await this.#start();
        return;
      case 'move':
        return this.#moveClock();
      case 'dump':
        this.#dumped = { objects: await this.#dump(), model: model.dump() };
        return;
      case 'restore':
        if (this.#dumped === undefined || this.#dumped.objects.length === 0) return;
        await this.#restore(this.#dumped.objects);
        model.restore(this.#dumped.model, nowMs);
        return;
      case 'reload':
        return this.#reload({ ...this.#config, ...given.config });
    }
  }

  /** Changes the clock of the machine by `byMs`. The backend's monotonic time is unaffected. */
  #setClock(byMs: number): void {
    if (this.#offMs === 0) this.#offSinceMs = this.#clock.steady();
    this.#offMs += byMs;
    this.#clock.set(byMs);
  }

  async #moveClock(): Promise<void> {
    // A new backend accepts the machine's clock as right, so the clock is corrected before.
    this.#setClock(-this.#offMs);
    const objects = await this.#dump();
    await this.#backend.stop();
    await rm(this.#dir, { recursive: true });
    this.#dir = await mkdtemp(join(tmpdir(), 'mon-test-'));
    await this.#start();
    await this.#settleRules();
    const outcomes = await this.#restore(objects, PAGE);
    assert.deepEqual(new Set(outcomes.map(({ outcome }) => outcome)), new Set(objects.length === 0 ? [] : ['created']));
    this.#model.moved(this.#clock.steady());
  }

  /** Returns all dumped objects, in the order in which they must be restored. */
  async #dump(): Promise<readonly object[]> {
    const pages: object[] = [];
    for (const type of ['silenced', 'entities', 'events']) {
      for (let after = ''; ;) {
        const page = (await this.#get(`/api/mon/v1/dump/${type}${after}`)) as DumpPage;
        pages.push(...page.objects);
        if (page.continue === null) break;
        after = `?continue=${page.continue}`;
      }
    }
    return pages;
  }

  /**
   * Restores objects, and returns the outcome of each.
   *
   * @param size number of objects per request
   */
  async #restore(objects: readonly object[], size = RESTORE_MAX): Promise<RestoreResponse['results']> {
    const outcomes: RestoreResponse['results'][number][] = [];
    for (let start = 0; start < objects.length; start += size) {
      const page = await this.#ask('POST', '/api/mon/v1/restore', 200, {
        objects: objects.slice(start, start + size),
      });
      outcomes.push(...(JSON.parse(page) as RestoreResponse).results);
    }
    return outcomes;
  }

  async #reload(config: ModelConfig): Promise<void> {
    this.#config = config;
    await this.#backend.reload();
    await this.#settleRules();
    this.#model.reload(settingsOf(config), this.#clock.steady());
  }

  /** Makes several commits, because nothing shows which commit completes the effects of a reload. */
  async #settleRules(): Promise<void> {
    for (let commit = 0; commit < COMMITS_OF_A_RELOAD; commit++) await this.#commit();
  }

  /** Makes a change and waits for its response, so that everything queued before is committed. */
  async #commit(): Promise<void> {
    await this.#ask('POST', '/stashes', 201, { path: 'committed', content: {} });
  }

  async #idle(): Promise<void> {
    const idle = { queued: 0, running: 0, retrying: 0, dead_letters: 0 };
    const { timeout } = PATIENCE;
    await vi.waitFor(
      async () => {
        assert.partialDeepStrictEqual(await this.#get('/health?deep=1'), { handlers: idle });
      },
      { timeout, interval: PAUSE_MS },
    );
  }

  /** Advances the time, and corrects a wrong clock when `WRONG_MS` have passed. */
  async #wait(ms: number): Promise<void> {
    const wrongMs = this.#offMs === 0 ? Infinity : this.#offSinceMs + WRONG_MS - this.#clock.steady();
    if (ms <= wrongMs) return this.#pass(ms);
    await this.#pass(wrongMs);
    this.#setClock(-this.#offMs);
    await this.#pass(ms - wrongMs);
  }

  /** Advances the time step by step, and stops whenever the model expects an effect. */
  async #pass(ms: number): Promise<void> {
    const endMs = this.#clock.steady() + ms;
    for (;;) {
      const nowMs = this.#clock.steady();
      const nextMs = this.#model.nextMoment(nowMs);
      // An effect may be visible before it is written. This commit ensures that the backend has written the effects of
      // one moment before the time advances to the next.
      await this.#commit();
      this.#clock.advance(Math.min(nextMs, endMs) - nowMs);
      if (nextMs >= endMs) break;
      await this.#settle(isComparedBetweenSteps);
    }
    await this.#settle();
  }

  /** Runs the timers that are due now, and compares the state and the notifications of the backend with the model. */
  async #settle(isLookedAt = (_path: string): boolean => true): Promise<void> {
    this.#clock.advance(0);
    this.#model.settle(this.#clock.steady());
    const lists = Object.entries(this.#expected()).filter(([path]) => isLookedAt(path));
    const expected = { ...Object.fromEntries(lists), told: this.#model.takeSaid().toSorted() };
    const deadline = performance.now() + ModelPair.#patienceMs;
    for (;;) {
      const actual = await this.#actual(expected);
      if (isDeepStrictEqual(actual, expected)) break;
      if (performance.now() > deadline) {
        ModelPair.#patienceMs = HURRY_MS;
        assert.deepEqual(actual, expected);
      }
      await delay(PAUSE_MS);
      // More timers may be due: the backend sets them while it processes earlier ones.
      this.#clock.advance(0);
    }
    this.#actualIds.keepNames();
    this.#expectedIds.keepNames();
    this.#comparedNotifications += expected.told.length;
    // A webhook that still waits for its response would time out when the time advances.
    if (expected.told.length > 0) await this.#idle();
  }

  /** Returns the backend's response for each expected path, and the new notifications, in comparable form. */
  async #actual(expected: Answers): Promise<Answers> {
    const paths = Object.keys(expected).filter((path) => path.startsWith('/'));
    const answers = Object.fromEntries(
      await Promise.all(paths.map(async (path) => [path, await this.#get(path)] as const)),
    ) as Answers;
    const names = new Map(
      ((answers['/api/mon/v1/silenced'] ?? []) as readonly SilenceRow[]).flatMap(({ id, selector }) =>
        selector === undefined ? [] : [[id, `selector ${selector}`] as const],
      ),
    );
    const known = JSON.parse(
      JSON.stringify(answers).replaceAll(/selector-[\da-f]{16}/g, (id) =>
        JSON.stringify(names.get(id) ?? id).slice(1, -1),
      ),
    ) as Record<string, Rows>;
    const actual: Answers = {
      ...known,
      '/events': this.#actualIds.rename((known['/events'] ?? []).map(withoutFigures).map(inOrder)),
      '/results': (known['/results'] ?? []).map(withoutFigures),
      '/silenced': byId(known['/silenced'] ?? []),
      '/api/mon/v1/silenced': byId(known['/api/mon/v1/silenced'] ?? []),
      '/api/mon/v1/handler-groups': sorted((known['/api/mon/v1/handler-groups'] ?? []).map(groupOf)),
      '/api/mon/v1/inhibitions': Object.fromEntries((known['/api/mon/v1/inhibitions'] ?? []).map(inhibitorsOf)),
      ...(DUMP in expected && { [DUMP]: unmatchedIn(known[DUMP]) }),
      // Notifications of the same moment have no guaranteed order.
      told: this.#receiver.receivedTexts.slice(this.#comparedNotifications).toSorted(),
    };
    return Object.fromEntries(Object.entries(actual).filter(([path]) => path in expected));
  }

  /** Returns what the model expects: a response for each path, without the notifications. */
  #expected(): Answers {
    const nowMs = this.#clock.steady();
    const silenced = this.#model.silenced(nowMs);
    const naming = (part: 'check' | 'subscription', name: string): unknown =>
      silenced.filter((entry) => entry[part] === name);
    return {
      '/events': this.#expectedIds.rename(this.#model.events(nowMs)),
      '/results': this.#model.results(),
      '/clients': this.#model.clients(),
      '/clients/a/history': this.#model.history('a'),
      '/silenced': silenced,
      '/silenced/checks/cpu': naming('check', 'cpu'),
      '/silenced/checks/defined': naming('check', 'defined'),
      '/silenced/subscriptions/web': naming('subscription', 'web'),
      '/silenced/subscriptions/client:a': naming('subscription', 'client:a'),
      '/api/mon/v1/silenced': this.#model.silencedDetails(nowMs),
      '/api/mon/v1/handler-groups': sorted(this.#model.groups()),
      '/api/mon/v1/inhibitions': this.#model.inhibitors(),
      // Each dump adds an audit record, so a dump is only requested if there are silences to compare.
      ...(silenced.length > 0 && { [DUMP]: this.#model.unmatchedSilences(nowMs) }),
    };
  }

  async #get(path: string): Promise<unknown> {
    const { url } = this.#backend;
    const answer = await fetch(url + path, { headers: administratorOf(url) });
    if (!answer.ok) throw new Error(`GET ${path}: ${String(answer.status)} ${await answer.text()}`);
    return await answer.json();
  }

  async #idOf(target: Parameters<typeof ModelSilences.idOf>[0]): Promise<string> {
    if (target.selector === undefined) return ModelSilences.idOf(target);
    const list = (await this.#get('/api/mon/v1/silenced')) as readonly SilenceRow[];
    const text = searchText(target.selector);
    return list.find(({ selector }) => selector === text)?.id ?? 'selector-0123456789abcdef';
  }

  async #start(): Promise<void> {
    const loadNow = (): ReturnType<typeof loadConfig> =>
      loadConfig({
        directories: [],
        env: {},
        flags: { checks: DEFINITIONS, ...flagsOf(this.#config, this.#receiver.url) },
      });
    this.#backend = await openBackend({
      dir: this.#dir,
      clock: this.#clock,
      // Each change is committed alone and at once, because a batch delay would never end: the test controls the time.
      batcher: { batchLimit: 1 },
      definitions: await loadNow(),
      loadConfig: loadNow,
    });
    this.#model.start(this.#clock.steady());
  }

  async #ask(method: string, path: string, expected: number, body?: unknown): Promise<string> {
    const { url } = this.#backend;
    const answer = await fetch(url + path, {
      method,
      headers: administratorOf(url),
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    const text = await answer.text();
    assert.equal(answer.status, expected, `${method} ${path}: ${String(answer.status)} ${text}`);
    return text;
  }
}

/** True for the paths that are compared between the steps, because they show the most. */
const isComparedBetweenSteps = (path: string): boolean =>
  /events|results|mon\/v1\/(silenced|handler-groups|dump)/.test(path);

const DUMP = '/api/mon/v1/dump/silenced';

interface DumpedSilence {
  readonly spec: {
    readonly mon: { readonly entry: { readonly id: string }; readonly use?: { readonly unmatched_since?: number } };
  };
}

/** Returns for each dumped silence the time since which it has matched no event; only a dump contains it. */
function unmatchedIn(page: unknown): Answers {
  const { objects } = page as { readonly objects: readonly DumpedSilence[] };
  return Object.fromEntries(objects.map(({ spec: { mon } }) => [mon.entry.id, mon.use?.unmatched_since]));
}

function written(request: { readonly selector?: ModelSearch }): object {
  const { selector, ...rest } = request;
  return selector === undefined ? rest : { ...rest, selector: searchText(selector) };
}

/** Removes the output of events of aggregate rules, which other tests cover. */
function withoutFigures(row: Answers): Answers {
  const { check, client } = row as { check: Answers; client: unknown };
  const name = typeof client === 'string' ? client : (client as Answers)['name'];
  return name === 'mon.aggregates' ? { ...row, check: { ...check, output: '' } } : row;
}

const isSearch = (id: string): boolean => id.startsWith('selector ');

/** Sorts the silences with a selector behind the others; their order is not guaranteed. */
function inOrder(event: Answers): Answers {
  const ids = event['silenced_by'] as readonly string[];
  return { ...event, silenced_by: [...ids.filter((id) => !isSearch(id)), ...ids.filter(isSearch).toSorted()] };
}

function byId(rows: Rows): Rows {
  return rows.toSorted((a, b) => (String(a['id']) < String(b['id']) ? -1 : 1));
}

function sorted(rows: readonly unknown[]): readonly unknown[] {
  return rows.toSorted((a, b) => (JSON.stringify(a) < JSON.stringify(b) ? -1 : 1));
}

function groupOf({ by, firing, pending, notified_at, due_at }: Answers): unknown {
  return { by: Object.values(by as object).join(), firing, pending, notified_at, due_at };
}

function inhibitorsOf({ name, inhibitors }: Answers): readonly [string, readonly string[]] {
  const places = (inhibitors as Rows).map(({ client, check }) => `${String(client)}/${String(check)}`);
  return [String(name), places.toSorted()];
}

/**
 * Assigns names to event ids in the order of their appearance: ids are UUIDs in the backend and numbers in the model.
 */
class IdNames {
  #names = new Map<unknown, string>();
  #next = new Map<unknown, string>();

  rename(events: Rows): Rows {
    this.#next = new Map(this.#names);
    return events.map((event) => ({ ...event, id: this.#nameOf(event['id']) }));
  }

  /** Retains the names that the last call of `rename` assigned. */
  keepNames(): void {
    this.#names = this.#next;
  }

  #nameOf(id: unknown): string {
    const name = this.#next.get(id) ?? `event ${String(this.#next.size + 1)}`;
    this.#next.set(id, name);
    return name;
  }
}
