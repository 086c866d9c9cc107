import { isDeepStrictEqual } from 'node:util';
import { exchange, send, type Answer } from '../support/raw-http.ts';
import { startBackend, type RunningBackend } from '../support/running-backend.ts';
import { Agents } from './agents.ts';
import { RequestedRuns } from './asked-runs.ts';
import { Listeners } from './listeners.ts';
import { compareResponse, compareStatus, normalized } from './compare.ts';
import { INSTANCES } from './instances.ts';
import { DECISIONS } from './v1/decisions.ts';
import type { Recorded } from './decision.ts';
import type { LineDecision } from './v1/decision.ts';
import { jumpingTime, passingTime, type RecordedTime } from './recorded-time.ts';
import { LoggedVerdicts } from './logged-verdicts.ts';
import {
  jsonRequest,
  readScenario,
  recordedSettings,
  type Line,
  type RecordedResponse,
  type RecordedRequest,
  type ScenarioName,
  type Step,
} from './scenario.ts';

/** The outcome of replaying one recorded line. */
export type Outcome = { readonly line: number; readonly case: string } & (
  | { readonly kind: 'equal' }
  | { readonly kind: 'different'; readonly problems: readonly string[] }
  /** The response or state differs from the recording, and is correct according to these decisions. */
  | { readonly kind: 'sanctioned'; readonly decisions: readonly LineDecision[] }
  | { readonly kind: 'published' }
  | { readonly kind: 'skipped'; readonly reason: SkipReason }
);

export type SkipReason =
  /** The line observes deliveries to handlers, which handler-deliveries.test.ts tests. */
  | 'tested with real handlers'
  /** The line observes the storage or the logs of Sensu Core. */
  | 'shows the inside of the peer'
  | 'left to chance'
  /** The line is tested by test/daemon/backend/api instead. */
  | 'tested beside the API';

/** Scenarios in which Sensu Core acts by itself at certain times, so that the replay must advance the clock. */
const BY_THE_CLOCK: ReadonlySet<ScenarioName> = new Set<ScenarioName>(['keepalive_ttl']);

/** Replays a recorded scenario on a new backend, line by line. The clock follows the recorded times. */
export async function replay(file: ScenarioName, lines: readonly Line[] = readScenario(file)): Promise<Outcome[]> {
  await using scene = await Scene.open(file, lines);
  const outcomes: Outcome[] = [];
  for (const line of lines) {
    outcomes.push(Object.assign({ line: line.number, case: line.case }, await scene.perform(line)));
  }
  return outcomes;
}

type ExchangeLine = Extract<Line, { readonly kind: 'raw' | 'exchange' }>;

type LineOutcome = Outcome extends infer One ? (One extends unknown ? Omit<One, 'line' | 'case'> : never) : never;

class Scene implements AsyncDisposable {
  /** The lines that have been replayed, and the requests between them that the recorder sent but did not record. */
  readonly #earlier: Line[] = [];
  readonly #instances = new Map<string, RunningBackend>();
  readonly #backend: RunningBackend;
  readonly #agents: Agents;
  readonly #listeners: Listeners;
  readonly #runs: RequestedRuns;
  readonly #loggedVerdicts: LoggedVerdicts;
  readonly #time: RecordedTime;

  static async open(file: ScenarioName, lines: readonly Line[]): Promise<Scene> {
    const startMs = (lines[0]?.clock ?? 0) * 1000;
    const isByTheClock = BY_THE_CLOCK.has(file);
    const runs = new RequestedRuns(file, isByTheClock);
    const time = isByTheClock
      ? passingTime(startMs, async () => (await isIdle(backend.url)) && !runs.isReading)
      : jumpingTime(startMs);
    const backend = await startBackend({
      settings: recordedSettings(),
      clock: time.clock,
      around: (store) => runs.observingStore(store),
      // The clock stands still while the test waits, so a batch must not wait for more commands.
      ...(isByTheClock ? { batcher: { batchLimit: 1 } } : {}),
    });
    return new Scene(file, backend, { runs, listeners: await Listeners.connect(backend.url, lines) }, time);
  }

  private constructor(
    file: ScenarioName,
    backend: RunningBackend,
    observers: { readonly runs: RequestedRuns; readonly listeners: Listeners },
    time: RecordedTime,
  ) {
    this.#backend = backend;
    this.#agents = new Agents(backend.url);
    this.#listeners = observers.listeners;
    this.#runs = observers.runs;
    this.#loggedVerdicts = new LoggedVerdicts(file, backend.log);
    this.#time = time;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const backend of [this.#backend, ...this.#instances.values()]) await backend[Symbol.asyncDispose]();
  }

  async perform(line: Line): Promise<LineOutcome> {
    for (const step of line.before) await this.#step(step, line);
    await this.#time.reach(line.clock * 1000);
    const outcome = await this.#lineOutcome(line);
    const restored = await this.#restore(line);
    this.#earlier.push(line);
    return outcome.kind === 'equal' ? (restored ?? outcome) : outcome;
  }

  /**
   * Restores the recorded state after a line whose correct response changes the state in another way.
   *
   * @returns `undefined` if there is nothing to restore
   */
  async #restore(line: Line): Promise<LineOutcome | undefined> {
    const recorded = { line, earlier: this.#earlier };
    const decisions = DECISIONS.filter(({ isAbout, restore }) => restore !== undefined && isAbout(recorded));
    const requests = decisions.flatMap(({ restore }) => restore?.(recorded) ?? []);
    for (const { request, status } of requests) {
      const answer = await ask(this.#backend.url, jsonRequest(...request));
      if (answer.status !== status) throw new Error(`the recorded state did not come back: ${answer.text}`);
    }
    return requests.length === 0 ? undefined : { kind: 'sanctioned', decisions };
  }

  async #step(step: Step, line: Line): Promise<void> {
    if (step.kind === 'wait') return this.#time.reach(this.#time.clock.now() + step.ms);
    const { status, headers, body } = await ask(this.#backend.url, step.request);
    const clock = Math.floor(this.#time.clock.now() / 1000);
    const answer = { status, headers, body, isPlain: false };
    this.#earlier.push({ ...line, kind: 'exchange', request: step.request, answer, clock });
  }

  async #lineOutcome(line: Line): Promise<LineOutcome> {
    switch (line.kind) {
      case 'publish':
        await this.#agents.publish(line.pipe, line.payload);
        return { kind: 'published' };
      case 'observe':
        return line.what === 'event field order' ? this.#fieldOrderOutcome(line.data) : this.#observedOutcome(line);
      case 'raw':
        return line.answer === undefined
          ? { kind: 'skipped', reason: 'tested beside the API' }
          : this.#exchangeOutcome(line, line.answer);
      case 'exchange':
        return this.#exchangeOutcome(line, line.answer);
    }
  }

  async #exchangeOutcome(line: ExchangeLine, recorded: RecordedResponse): Promise<LineOutcome> {
    if (line.chance !== undefined) return { kind: 'skipped', reason: 'left to chance' };
    const { url } = await this.#instance(line.instance);
    const actual = line.kind === 'raw' ? await askRaw(url, line.bytes) : await ask(url, line.request);
    const recordedProblems = await this.#compare(line, recorded, actual);
    const { right, decisions } = rightLine({ line, earlier: this.#earlier });
    if (decisions.length === 0 || right.kind !== line.kind || right.answer === undefined)
      return plainOutcome(recordedProblems);
    // If a decision applies, only the correct response counts, even if the actual response equals the recorded one.
    const problems = await this.#compare(line, right.answer, actual);
    if (problems.length > 0)
      return { kind: 'different', problems: [...problems, ...decisions.map(({ because }) => because)] };
    return recordedProblems.length === 0 ? { kind: 'equal' } : { kind: 'sanctioned', decisions };
  }

  async #compare(line: ExchangeLine, expected: RecordedResponse, actual: Answer | undefined): Promise<string[]> {
    if (actual === undefined) return ['no answer'];
    if (line.kind === 'raw') return compareStatus(expected, actual);
    const { sameAs } = expected;
    if (sameAs !== undefined) {
      const { url } = await this.#instance(line.instance);
      return differencesBetween(await ask(url, sameAs), actual);
    }
    const shown = line.instance === undefined ? expected : { ...expected, body: withoutState(expected) };
    return compareResponse(line.request, await this.#pageOf(line.request, shown), actual);
  }

  /**
   * Returns the expected page of a list. Because the order of the recorded list is arbitrary, the expected items are
   * the same part of this backend's complete list.
   */
  async #pageOf(request: RecordedRequest, expected: RecordedResponse): Promise<RecordedResponse> {
    const { body } = expected;
    const header = Object.entries(expected.headers).find(([name]) => name.toLowerCase() === 'x-pagination')?.[1];
    if (header === undefined || !Array.isArray(body) || body.length === 0) return expected;
    const { limit, offset, total } = JSON.parse(header) as Record<'limit' | 'offset' | 'total', number>;
    if (body.length === total) return expected;
    const whole = await ask(this.#backend.url, { ...request, path: request.path.split('?', 1)[0] ?? '' });
    const page = (whole.body as readonly unknown[]).slice(offset, offset + limit);
    return { ...expected, body: page.length === body.length ? page : body };
  }

  async #observedOutcome(line: Extract<Line, { readonly kind: 'observe' }>): Promise<LineOutcome> {
    const events = this.#runs.takeEvents(line);
    if (events !== undefined) return this.#runsOutcome(line, events);
    const problems = this.#loggedVerdicts.compare(line) ?? (await this.#listeners.compare(line));
    if (problems === undefined) return { kind: 'skipped', reason: skipReasonOf(line.what) };
    return problems.length === 0 ? { kind: 'equal' } : { kind: 'different', problems };
  }

  #runsOutcome(line: Extract<Line, { readonly kind: 'observe' }>, events: readonly unknown[]): LineOutcome {
    const recorded = line.data as readonly unknown[];
    const recordedProblems = this.#runs.compare(line, recorded, events);
    const { right, decisions } = rightLine({ line, earlier: this.#earlier });
    if (decisions.length === 0 || right.kind !== 'observe') return plainOutcome(recordedProblems);
    const problems = this.#runs.compare(line, right.data as readonly unknown[], events);
    if (problems.length > 0) return { kind: 'different', problems };
    return recordedProblems.length === 0 ? { kind: 'equal' } : { kind: 'sanctioned', decisions };
  }

  async #fieldOrderOutcome(data: unknown): Promise<LineOutcome> {
    const { body } = await ask(this.#backend.url, jsonRequest('GET', '/events/c1/life'));
    const event = body as Readonly<Record<string, object>>;
    const order = { event, client: event['client'], check: event['check'] };
    const keys = Object.entries(order).map(([part, value]) => [part, Object.keys(value ?? {})]);
    return isDeepStrictEqual(Object.fromEntries(keys), data)
      ? { kind: 'equal' }
      : { kind: 'different', problems: [JSON.stringify(keys)] };
  }

  async #instance(name: string | undefined): Promise<RunningBackend> {
    if (name === undefined) return this.#backend;
    const present = this.#instances.get(name);
    if (present !== undefined) return present;
    const backend = await startBackend({ settings: { ...recordedSettings(), api: INSTANCES[name] } });
    this.#instances.set(name, backend);
    return backend;
  }
}

/** Returns the line with the correct response, and the decisions that corrected it. */
function rightLine({ line, earlier }: Recorded<Line>): { right: Line; decisions: readonly LineDecision[] } {
  return DECISIONS.reduce<{ right: Line; decisions: readonly LineDecision[] }>(
    ({ right, decisions }, decision) =>
      decision.isAbout({ line: right, earlier })
        ? { right: decision.rightFor({ line: right, earlier }), decisions: [...decisions, decision] }
        : { right, decisions },
    { right: line, decisions: [] },
  );
}

function plainOutcome(problems: readonly string[]): LineOutcome {
  return problems.length === 0 ? { kind: 'equal' } : { kind: 'different', problems };
}

function differencesBetween(expected: Answer, actual: Answer): string[] {
  const [right, got] = [expected, actual].map(({ status, body }) => JSON.stringify([status, normalized(body, '')]));
  return right === got ? [] : [`expected ${String(right)}, got ${String(got)}`];
}

function ask(url: string, request: RecordedRequest): Promise<Answer> {
  return send(url, { ...request, target: request.path });
}

async function isIdle(url: string): Promise<boolean> {
  const { body } = await ask(url, jsonRequest('GET', '/info'));
  return (
    (body as { readonly transport: { readonly results: { readonly messages: number } } }).transport.results.messages ===
    0
  );
}

async function askRaw(url: string, bytes: string): Promise<Answer | undefined> {
  const [answer] = await exchange(url, Buffer.from(bytes, 'latin1'), [bytes.split(' ', 1)[0] ?? '']);
  return answer;
}

/**
 * Returns the body of a response without state: a line that was recorded on another instance shows state from other
 * scenarios, so its lists are emptied.
 */
function withoutState({ status, body }: RecordedResponse): unknown {
  return status === 200 && Array.isArray(body) ? [] : body;
}

function skipReasonOf(what: string): SkipReason {
  if (what.startsWith('handler:') || ['received', 'transport list events_out'].includes(what))
    return 'tested with real handlers';
  if (['effect on a fresh sensu-api', 'summary'].includes(what)) return 'tested beside the API';
  return 'shows the inside of the peer';
}
