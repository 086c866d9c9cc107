import { isDeepStrictEqual } from 'node:util';
import { exchange, send, type Answer } from '../support/raw-http.ts';
import { startBackend, type RunningBackend } from '../support/running-backend.ts';
import { Agents } from './agents.ts';
import { AskedRuns } from './asked-runs.ts';
import { Listeners } from './listeners.ts';
import { compareAnswer, compareStatus } from './compare.ts';
import { CORRECTIONS, DIFFERENCES, UNDO, type Correction, type Difference } from './differences.ts';
import { jumpingTime, passingTime, type RecordedTime } from './recorded-time.ts';
import { SaidVerdicts } from './said-verdicts.ts';
import {
  jsonRequest,
  readScenario,
  recordedSettings,
  type Line,
  type RecordedAnswer,
  type RecordedRequest,
  type ScenarioName,
  type Step,
} from './scenario.ts';

/** What became of a line. */
export type Outcome = { readonly line: number; readonly case: string } & (
  | { readonly kind: 'equal' }
  | { readonly kind: 'different'; readonly problems: readonly string[] }
  /** Different from the recording, on purpose; `problems` with the right answer. */
  | { readonly kind: 'sanctioned'; readonly difference: Difference; readonly problems: readonly string[] }
  | { readonly kind: 'published' }
  | { readonly kind: 'skipped'; readonly reason: SkipReason }
);

export type SkipReason =
  /** What arrives at handlers; held by handler-deliveries.test.ts. */
  | 'tested with real handlers'
  /** Storage and logs of the peer. */
  | 'shows the inside of the peer'
  | 'left to chance'
  /** Held by test/daemon/backend/api. */
  | 'tested beside the API';

/** Instances with another configuration that parts of the recording were made on (needs.jsonl). */
const INSTANCES: Readonly<Record<string, unknown>> = {
  auth: { user: 'admin', password: 'secret', cors: { Origin: 'https://example.org', Custom: 'x' } },
  'auth-colon': { user: 'admin', password: 'pa:ss' },
  'cors-empty': { cors: {} },
  'cors-false': { cors: false },
};

/** Scenarios in which the peer did something without being asked. */
const BY_THE_CLOCK: ReadonlySet<ScenarioName> = new Set<ScenarioName>(['keepalive_ttl']);

/** Performs a recorded scenario on a new backend, line by line, at the times of the recording. */
export async function replay(file: ScenarioName): Promise<Outcome[]> {
  const lines = readScenario(file);
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
  readonly #file: ScenarioName;
  readonly #lines: readonly Line[];
  readonly #corrections: readonly Correction[];
  readonly #instances = new Map<string, RunningBackend>();
  readonly #backend: RunningBackend;
  readonly #agents: Agents;
  readonly #listeners: Listeners;
  readonly #runs: AskedRuns;
  readonly #said: SaidVerdicts;
  readonly #time: RecordedTime;

  static async open(file: ScenarioName, lines: readonly Line[]): Promise<Scene> {
    const startMs = (lines[0]?.clock ?? 0) * 1000;
    const isByTheClock = BY_THE_CLOCK.has(file);
    const runs = new AskedRuns(file);
    const time = isByTheClock
      ? passingTime(startMs, async () => (await isAtRest(backend.url)) && !runs.isReading)
      : jumpingTime(startMs);
    const backend = await startBackend({
      settings: recordedSettings(),
      clock: time.clock,
      around: (store) => runs.around(store),
      // Nobody waits for company while the clock stands.
      ...(isByTheClock ? { batcher: { batchLimit: 1 } } : {}),
    });
    return new Scene(file, lines, backend, { runs, listeners: await Listeners.connect(backend.url, lines) }, time);
  }

  private constructor(
    file: ScenarioName,
    lines: readonly Line[],
    backend: RunningBackend,
    observers: { readonly runs: AskedRuns; readonly listeners: Listeners },
    time: RecordedTime,
  ) {
    this.#file = file;
    this.#lines = lines;
    this.#corrections = CORRECTIONS.filter((correction) => correction.file === file);
    this.#backend = backend;
    this.#agents = new Agents(backend.url);
    this.#listeners = observers.listeners;
    this.#runs = observers.runs;
    this.#said = new SaidVerdicts(file, backend.log);
    this.#time = time;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const backend of [this.#backend, ...this.#instances.values()]) await backend[Symbol.asyncDispose]();
  }

  async perform(line: Line): Promise<LineOutcome> {
    for (const step of line.before) await this.#step(step);
    await this.#time.reach(line.clock * 1000);
    const outcome = await this.#lineOutcome(line);
    for (const { file, after, because, request, status } of UNDO) {
      if (file !== this.#file || after !== line.number) continue;
      const answer = await ask(this.#backend.url, jsonRequest(...request));
      if (answer.status !== status) return { kind: 'different', problems: [`after it: ${because}`] };
    }
    return outcome;
  }

  async #step(step: Step): Promise<void> {
    if (step.kind === 'wait') await this.#time.reach(this.#time.clock.now() + step.ms);
    else await ask(this.#backend.url, step.request);
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

  async #exchangeOutcome(line: ExchangeLine, recorded: RecordedAnswer): Promise<LineOutcome> {
    if (line.chance !== undefined) return { kind: 'skipped', reason: 'left to chance' };
    const { url } = await this.#instance(line.instance);
    const actual = line.kind === 'raw' ? await askRaw(url, line.bytes) : await ask(url, line.request);
    const problems = await this.#compare(line, recorded, actual);
    const difference = differenceAt(this.#file, line);
    if (difference === undefined) return problems.length === 0 ? { kind: 'equal' } : { kind: 'different', problems };
    if (problems.length === 0) return { kind: 'different', problems: ['as recorded, although that is not right'] };
    const right = this.#rightAnswer(difference, recorded);
    return { kind: 'sanctioned', difference, problems: await this.#compare(line, right, actual) };
  }

  async #compare(line: ExchangeLine, expected: RecordedAnswer, actual: Answer | undefined): Promise<string[]> {
    if (actual === undefined) return ['no answer'];
    if (line.kind === 'raw') return compareStatus(expected, actual);
    const shown = line.instance === undefined ? expected : { ...expected, body: withoutState(expected) };
    return compareAnswer(line.request, await this.#pageOf(line.request, this.#corrected(shown)), actual);
  }

  #rightAnswer({ right }: Difference, recorded: RecordedAnswer): RecordedAnswer {
    if ('asLine' in right) {
      const other = this.#lines[right.asLine - 1];
      if (other?.kind !== 'exchange') throw new Error(`line ${String(right.asLine)} is no exchange`);
      return other.answer;
    }
    if ('but' in right) return { ...withTotal(recorded, right.total), body: right.but(recorded.body) };
    if ('plain' in right) return { status: right.plain, headers: {}, body: undefined, isPlain: true };
    const { status, headers = commonHeaders(recorded), body } = right;
    return { status, headers, body, isPlain: false };
  }

  /** A page of a list in arbitrary order: instead, the same part of this backend's own whole list. */
  async #pageOf(request: RecordedRequest, expected: RecordedAnswer): Promise<RecordedAnswer> {
    const { body } = expected;
    const header = Object.entries(expected.headers).find(([name]) => name.toLowerCase() === 'x-pagination')?.[1];
    if (header === undefined || !Array.isArray(body) || body.length === 0) return expected;
    const { limit, offset, total } = JSON.parse(header) as Record<'limit' | 'offset' | 'total', number>;
    if (body.length === total) return expected;
    const whole = await ask(this.#backend.url, { ...request, path: request.path.split('?', 1)[0] ?? '' });
    const page = (whole.body as readonly unknown[]).slice(offset, offset + limit);
    return { ...expected, body: page.length === body.length ? page : body };
  }

  #corrected(expected: RecordedAnswer): RecordedAnswer {
    const body = this.#corrections.reduce<unknown>(
      (value, correction) => correct(value, '', correction),
      expected.body,
    );
    return { ...expected, body };
  }

  async #observedOutcome(line: Extract<Line, { readonly kind: 'observe' }>): Promise<LineOutcome> {
    const events = this.#runs.take(line);
    if (events !== undefined) return this.#runsOutcome(line, events);
    const problems = this.#said.compare(line) ?? (await this.#listeners.compare(line));
    if (problems === undefined) return { kind: 'skipped', reason: skipReasonOf(line.what) };
    return problems.length === 0 ? { kind: 'equal' } : { kind: 'different', problems };
  }

  #runsOutcome(line: Extract<Line, { readonly kind: 'observe' }>, events: readonly unknown[]): LineOutcome {
    const recorded = line.data as readonly unknown[];
    const problems = this.#runs.compare(line, recorded, events);
    const difference = differenceAt(this.#file, line);
    if (difference === undefined) return problems.length === 0 ? { kind: 'equal' } : { kind: 'different', problems };
    if (problems.length === 0) return { kind: 'different', problems: ['as recorded, although that is not right'] };
    if (!('but' in difference.right)) throw new Error(`line ${String(line.number)} takes a right answer with "but"`);
    const right = difference.right.but(recorded) as readonly unknown[];
    return { kind: 'sanctioned', difference, problems: this.#runs.compare(line, right, events) };
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

function differenceAt(file: ScenarioName, line: Line): Difference | undefined {
  const found = DIFFERENCES.find((difference) => difference.file === file && difference.line === line.number);
  if (found !== undefined && found.case !== line.case) {
    throw new Error(`the difference at ${file}:${String(line.number)} belongs to another case`);
  }
  return found;
}

function ask(url: string, request: RecordedRequest): Promise<Answer> {
  return send(url, { ...request, target: request.path });
}

async function isAtRest(url: string): Promise<boolean> {
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

/** What was recorded on other instances shows the state that they had from other scenarios. */
function withoutState({ status, body }: RecordedAnswer): unknown {
  return status === 200 && Array.isArray(body) ? [] : body;
}

/** The recorded answer of a list with another number of items. */
function withTotal(recorded: RecordedAnswer, total: number | undefined): RecordedAnswer {
  if (total === undefined) return recorded;
  const page = JSON.parse(recorded.headers['X-Pagination'] ?? '{}') as object;
  return { ...recorded, headers: { ...recorded.headers, 'X-Pagination': JSON.stringify({ ...page, total }) } };
}

/** The headers that do not belong to the recorded status. */
function commonHeaders(recorded: RecordedAnswer | undefined): Readonly<Record<string, string>> {
  const entries = Object.entries(recorded?.headers ?? {});
  return Object.fromEntries(entries.filter(([name]) => name.startsWith('Access-Control-')));
}

function correct(value: unknown, key: string, correction: Correction): unknown {
  if (value === null) return correction.nulls?.[key] ?? null;
  if (typeof value === 'string') return correction.texts[value] ?? value;
  if (typeof value !== 'object') return value;
  if (Array.isArray(value)) return value.map((item) => correct(item, '', correction));
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, correct(item, name, correction)]));
}

function skipReasonOf(what: string): SkipReason {
  if (what.startsWith('handler:') || ['received', 'transport list events_out'].includes(what))
    return 'tested with real handlers';
  if (['effect on a fresh sensu-api', 'summary'].includes(what)) return 'tested beside the API';
  return 'shows the inside of the peer';
}
