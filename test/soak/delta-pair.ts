import assert from 'node:assert/strict';
import { isDeepStrictEqual } from 'node:util';
import type { Client } from '../../shared/schemas/client.ts';
import type { SubmittedResult } from '../../shared/schemas/result.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { DeltaSender, sendingClient, until, FullResultSender } from './result-tellers.ts';
import { AGENT, ATTRIBUTES, INVALID_SECONDS, type Change, type Step, type SentResult } from './delta-steps.ts';
import { ComparedBackend } from './told-backend.ts';

/** Timeout for the effects of a step whose response arrives before the step is complete. */
const SETTLE_MS = 5000;
const PUMP_MS = 1;
/** Milliseconds that are enough for a reload to take effect. */
const RELOADS_MS = 10;

/** Results that fill a batch: more than twice as many as any step sends in one batch. */
const MANY = Array.from({ length: 60 }, () => ({ source: 'crowd', name: 'crowd', output: '' }));

/** Names of the steps in which the agent connects or sends its own data. */
const CONNECTS: ReadonlySet<Step['do']> = new Set(['keep alive', 'tell and cut', 'tell and refuse', 'cut', 'restart']);

/** Two backends that get the same results: one as delta results, one in full. */
export class DeltaPair implements AsyncDisposable {
  readonly #clock = new ManualClock();
  #pump: NodeJS.Timeout | undefined;
  #backends: readonly [delta: ComparedBackend, full: ComparedBackend] | undefined;
  readonly #attributes = new Map<string, object>();
  #freshValueCount = 0;
  #silences = 0;
  /** True if the agent was deleted, and cannot register again until `INVALID_SECONDS` have passed. */
  #isDeleted = false;

  static async open(): Promise<DeltaPair> {
    const pair = new DeltaPair();
    pair.#startPump();
    const client = (): Client => sendingClient(AGENT, pair.#clock.now());
    pair.#backends = [
      await ComparedBackend.open(pair.#clock, await DeltaSender.open(client)),
      await ComparedBackend.open(pair.#clock, new FullResultSender(client)),
    ];
    return pair;
  }

  /** Number of results that the first backend stored from deltas. */
  get deltaResultCount(): number {
    return this.#both[0].deltaResults;
  }

  /**
   * Runs the steps on both backends, and compares the backends after each step.
   *
   * @throws AssertionError if the backends differ
   */
  async play(story: readonly Step[]): Promise<void> {
    for (const step of [...story, { do: 'restart', setSeconds: 0 } as const]) {
      if (this.#isDeleted && CONNECTS.has(step.do)) await this.#reconnect();
      await this.#runStep(step);
      await this.#compare();
    }
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const backend of this.#both) await backend[Symbol.asyncDispose]();
    this.#stopPump();
  }

  get #both(): readonly [delta: ComparedBackend, full: ComparedBackend] {
    if (this.#backends === undefined) throw new Error('there are no backends yet');
    return this.#backends;
  }

  /** Starts a timer that fires the clock's due tasks, so that commands are committed without a batch delay. */
  #startPump(): void {
    this.#pump ??= setInterval(() => this.#clock.advance(0), PUMP_MS);
  }

  #stopPump(): void {
    clearInterval(this.#pump);
    this.#pump = undefined;
  }

  async #runStep(step: Step): Promise<void> {
    switch (step.do) {
      case 'tell':
        for (let time = 0; time < step.times; time++) await this.#sendResults(step.results);
        return;
      case 'tell around':
        await this.#sendResults(step.results);
        await this.#sendResults(step.results);
        await this.#change(step.change);
        return this.#sendResults(step.results);
      case 'tell and cut': {
        const results = this.#resultsOf(step.results);
        await this.#forEachBackend(({ sender }) => sender.send(results));
        await this.#forEachBackend(({ sender }) => sender.cut());
        return this.#connect();
      }
      case 'tell and refuse':
        return this.#sendWhileRejecting(step.results);
      case 'at once':
        return this.#atOnce(step);
      case 'tell and reload': {
        this.#stopPump();
        const results = this.#withFreshValues(step.results);
        await this.#forEachBackend(({ sender }) => sender.send(results));
        await this.#queued(step.results.length);
        const reloaded = this.#forEachBackend((backend) => backend.reload(step.config));
        await new Promise((resolve) => void setTimeout(resolve, RELOADS_MS));
        this.#startPump();
        await reloaded;
        await this.#forEachBackend((backend) => backend.settle());
        // The same results are sent again, and are merged with the new stored ones.
        return this.#forEachBackend(({ sender }) => sender.send(results));
      }
      case 'change and refuse':
        await this.#forEachBackend(async (backend) => void (backend.isRefusing = true));
        await this.#change(step.change);
        return this.#forEachBackend(async (backend) => void (backend.isRefusing = false));
      case 'keep alive':
        return this.#forEachBackend(async ({ sender }) => sender.keepAlive());
      case 'cut':
        await this.#forEachBackend(({ sender }) => sender.cut());
        return this.#connect();
      case 'reload':
        return this.#forEachBackend((backend) => backend.reload(step.config));
      case 'wait':
        for (let second = 0; second < step.seconds; second++) {
          await this.#forEachBackend((backend) => backend.settle());
          this.#clock.advance(1000);
        }
        return this.#forEachBackend((backend) => backend.settle());
      case 'restart':
        await this.#forEachBackend((backend) => backend.settle());
        await this.#forEachBackend((backend) => backend.stop());
        this.#clock.set(step.setSeconds * 1000);
        await this.#forEachBackend(({ sender }) => sender.cut());
        return this.#forEachBackend((backend) => backend.start());
      default:
        return this.#change(step);
    }
  }

  /** Registers the agent again after it was deleted, so that any of its messages may arrive first. */
  async #reconnect(): Promise<void> {
    await this.#runStep({ do: 'wait', seconds: INVALID_SECONDS + 1 });
    await this.#forEachBackend(async (backend) => {
      backend.sender.keepAlive();
      await until(async () => typeof (await backend.get(`/clients/${AGENT}`)) === 'object');
    });
    this.#isDeleted = false;
  }

  async #sendResults(tellings: readonly SentResult[]): Promise<void> {
    const results = this.#resultsOf(tellings);
    await this.#forEachBackend(({ sender }) => sender.send(results));
    await this.#forEachBackend((backend) => backend.settle());
  }

  async #sendWhileRejecting(tellings: readonly SentResult[]): Promise<void> {
    const results = this.#resultsOf(tellings);
    await this.#forEachBackend(async (backend) => {
      backend.isRefusing = true;
      await backend.sender.send(results);
      await until(() => !backend.isRefusing || backend.sender.waiting === 0);
      if (backend.isRefusing) backend.isRefusing = false;
      else await backend.sender.cut();
      await backend.connect();
    });
  }

  async #atOnce({ before, results, after }: Extract<Step, { do: 'at once' }>): Promise<void> {
    // The results are sent twice before the step, so that the step sends deltas where possible, and the backend need
    // not request full results because stored data must be read first.
    const ofCheck = new Map(results.map((telling) => [`${telling.source ?? ''}/${telling.check}`, telling]));
    const first = this.#withFreshValues([...ofCheck.values()]);
    for (let time = 0; time < 2; time++) {
      await this.#forEachBackend(({ sender }) => sender.send(first));
      await this.#forEachBackend((backend) => backend.settle());
    }
    const told = first.map((result) => Object.assign({}, result, { executed: (result.executed ?? 0) - 1 }));
    // After a batch of this size, the batch delay applies to the few commands that follow.
    await this.#ask('POST', '/api/mon/v1/results', MANY);
    this.#stopPump();
    const changed: Promise<void>[] = [];
    for (const change of before) await this.#queueChange(change, changed);
    await this.#forEachBackend(({ sender }) => sender.send(told));
    await this.#queued(told.length, changed.length > 0);
    // Full results that are sent again on request are committed after the whole batch.
    if (before.length === 0) for (const change of after) await this.#queueChange(change, changed);
    this.#startPump();
    await Promise.all(changed);
  }

  /**
   * Sends a change, and waits until it is in the queues of both backends or done.
   *
   * @param changed array that receives a promise of the response
   */
  async #queueChange(change: Change, changed: Promise<void>[]): Promise<void> {
    const before = await this.#weights();
    let isDone = false;
    changed.push(this.#change(change).finally(() => (isDone = true)));
    await until(async () => isDone || (await this.#weights()).every((weight, at) => weight > (before[at] ?? 0)));
  }

  /** Waits until the queue of each backend holds at least `count` messages, or one more if other changes are queued. */
  async #queued(count: number, isBeside = false): Promise<void> {
    const least = count + (isBeside ? 1 : 0);
    await until(async () => (await this.#weights()).every((weight) => weight >= least));
  }

  async #weights(): Promise<readonly number[]> {
    return await Promise.all(this.#both.map(async (backend) => (await backend.health()).queue.messages));
  }

  async #change(change: Change): Promise<void> {
    switch (change.do) {
      case 'post': {
        const { client, check, about } = change;
        const now = Math.floor(this.#clock.now() / 1000);
        const result = { source: client, name: check, output: 'posted', executed: now, ...about };
        return this.#ask('POST', '/results', result);
      }
      case 'resolve':
        return this.#ask('POST', '/resolve', { client: change.client, check: change.check });
      case 'delete result':
        return this.#ask('DELETE', `/results/${change.client}/${change.check}`);
      case 'delete client':
        if (change.client === AGENT) this.#isDeleted = true;
        return this.#ask('DELETE', `/clients/${change.client}${change.query}`);
      case 'delete aggregate':
        return this.#ask('DELETE', `/aggregates/${change.aggregate}`);
      case 'silence': {
        const { check, isOver } = change;
        const reason = String(++this.#silences);
        return isOver
          ? this.#ask('POST', '/silenced/clear', { check })
          : this.#ask('POST', '/silenced', { check, reason, expire_on_resolve: true });
      }
    }
  }

  async #ask(method: string, path: string, body?: unknown): Promise<void> {
    const [delta, full] = await Promise.all(this.#both.map((backend) => backend.ask(method, path, body)));
    assert.equal(delta, full, `${method} ${path}`);
  }

  async #connect(): Promise<void> {
    await this.#forEachBackend((backend) => backend.connect());
  }

  async #forEachBackend(act: (backend: ComparedBackend) => Promise<void>): Promise<void> {
    await Promise.all(this.#both.map(act));
  }

  async #compare(): Promise<void> {
    await this.#forEachBackend((backend) => backend.settle());
    const deadline = performance.now() + SETTLE_MS;
    for (;;) {
      const [delta, full] = await Promise.all(this.#both.map((backend) => backend.state()));
      if (isDeepStrictEqual(delta, full) && delta?.problems.length === 0) return;
      if (performance.now() < deadline) continue;
      assert.deepStrictEqual(delta, full);
      assert.deepEqual(delta?.problems, []);
    }
  }

  #resultsOf(tellings: readonly SentResult[]): readonly SubmittedResult[] {
    return tellings.map((telling) => this.#resultOf(telling));
  }

  /** Returns the results with an attribute value that no earlier result had. */
  #withFreshValues(tellings: readonly SentResult[]): readonly SubmittedResult[] {
    const fresh = ++this.#freshValueCount;
    return this.#resultsOf(tellings).map((result) => Object.assign(result, { fresh }));
  }

  #resultOf({ check, source, attributes, status, output, duration, age }: SentResult): SubmittedResult {
    const key = `${source ?? ''}/${check}`;
    if (attributes !== undefined) this.#attributes.set(key, ATTRIBUTES[attributes]);
    const executed = Math.floor(this.#clock.now() / 1000) - age;
    return {
      name: check,
      ...(source !== undefined && { source }),
      ...this.#attributes.get(key),
      output,
      status,
      executed,
      issued: executed - 1,
      ...(duration !== undefined && { duration }),
    };
  }
}
