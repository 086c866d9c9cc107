/** @module-tag slow */
import { setTimeout as pause } from 'node:timers/promises';
import { expect, onTestFinished, test } from 'vitest';
import type { Backend } from '../../daemon/backend/compose.ts';
import { openBackend } from '../support/open-backend.ts';
import { SetMachine } from '../support/set-machine.ts';
import { tempDir } from '../support/temp-dir.ts';
import { RandomChoices } from './random-choices.ts';
import { rounds, roundsTimeoutMs, seed } from './rounds.ts';

const ROUNDS = 1;
const STEPS = 30;
/**
 * Tolerance in milliseconds: times on the wire are whole seconds, the backend checks each second, and clock corrections
 * are accurate to the second.
 */
const SLACK_MS = 3500;
/** Interval in milliseconds at which the backend checks the ages of keepalives. */
const SWEEP_MS = 30_000;
const KEEPALIVE_MS = 120_000;

/** A condition that must be true during a span of real time, and false after it. */
interface Span {
  readonly what: string;
  readonly fromMs: number;
  readonly toMs: number;
  /** Time in milliseconds that may pass after the end until the condition becomes false; default: 0. */
  readonly lateMs?: number;
  readonly holds: () => Promise<boolean>;
}

const inSeconds = (ms: number): string => `${String(Math.round(ms / 1000))} s`;

/** A backend on a machine whose clock is set at random, and the conditions that must hold in real time. */
class Story implements AsyncDisposable {
  readonly machine = new SetMachine();
  readonly spans: Span[] = [];
  /** Descriptions of all steps so far, for the report of a failure. */
  readonly stepDescriptions: string[] = [];
  readonly #dir: string;
  #backend: Backend | undefined;
  #count = 0;
  offMs = 0;
  #boots = 0;

  constructor(dir: string) {
    this.#dir = dir;
    this.machine.bootId = 'boot 0';
  }

  async start(): Promise<void> {
    this.#backend = await openBackend({ dir: this.#dir, clock: this.machine });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#backend?.stop();
  }

  /** True if the clock of the machine shows the real time. */
  get isRight(): boolean {
    return this.offMs === 0;
  }

  async ask(method: string, path: string, body?: unknown): Promise<{ status: number; body: unknown }> {
    const url = this.#backend?.url ?? '';
    const answer = await fetch(`${url}${path}`, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body), headers: { 'content-type': 'application/json' } }),
    });
    const text = await answer.text();
    return { status: answer.status, body: text === '' ? undefined : (JSON.parse(text) as unknown) };
  }

  set(byMs: number): void {
    this.offMs += byMs;
    this.machine.set(byMs);
  }

  setRight(): void {
    this.set(-this.offMs);
  }

  /** Lets time pass second by second, and lets the backend complete the writes that are due. */
  async pass(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      this.machine.advance(1000);
      if (second % 30 === 29) await this.#waitUntilIdle();
    }
    await this.#waitUntilIdle();
  }

  async sleep(seconds: number): Promise<void> {
    this.machine.sleep(seconds * 1000);
    // The timers that became due during the sleep fire after it.
    await this.pass(61);
  }

  async restart({
    awaySeconds,
    isBooted,
  }: {
    readonly awaySeconds: number;
    readonly isBooted: boolean;
  }): Promise<void> {
    await this.#backend?.stop();
    this.machine.advance(awaySeconds * 1000);
    if (isBooted) this.machine.bootId = `boot ${String(++this.#boots)}`;
    await this.start();
    // A started backend checks the ages of keepalives again after the first interval.
    await this.pass(SWEEP_MS / 1000 + 1);
  }

  async promise(kind: number, seconds: number): Promise<void> {
    const name = `n${String(this.#count++)}`;
    const fromMs = this.machine.trueMs;
    const toMs = fromMs + seconds * 1000;
    const has = async (path: string): Promise<boolean> => (await this.ask('GET', path)).status === 200;
    const isWell = async (path: string): Promise<boolean> => (await this.ask('GET', path)).status === 404;
    switch (kind) {
      case 0:
        await this.ask('POST', '/silenced', { check: name, expire: seconds });
        this.spans.push({ what: `silence ${name}`, fromMs, toMs, holds: () => has(`/silenced/ids/*:${name}`) });
        break;
      case 1: {
        const { body } = await this.ask('GET', '/info');
        const [{ timestamp: now } = { timestamp: 0 }] = (body as { servers: { timestamp: number }[] }).servers;
        await this.ask('POST', '/silenced', { check: name, expire: seconds, begin: now + 40 });
        const pending = async (): Promise<boolean> => {
          const { body: rows } = await this.ask('GET', '/api/mon/v1/silenced?q=state%3Dpending');
          return (rows as { id: string }[]).some(({ id }) => id === `*:${name}`);
        };
        this.spans.push({ what: `begin ${name}`, fromMs, toMs: fromMs + 40_000, holds: pending });
        const toEndMs = toMs + 40_000;
        this.spans.push({
          what: `silence ${name}`,
          fromMs,
          toMs: toEndMs,
          holds: () => has(`/silenced/ids/*:${name}`),
        });
        break;
      }
      case 2:
        await this.ask('POST', '/stashes', { path: name, content: {}, expire: seconds });
        this.spans.push({ what: `stash ${name}`, fromMs, toMs, holds: () => has(`/stashes/${name}`) });
        break;
      case 3:
        await this.ask('POST', '/results', { source: 'ttl', name, output: '', ttl: seconds });
        this.spans.push({ what: `ttl ${name}`, fromMs, toMs, holds: () => isWell(`/events/ttl/${name}`) });
        break;
      case 4: {
        await this.ask('POST', '/clients', { name, address: name, subscriptions: [], keepalives: true });
        const alive = { fromMs, toMs: fromMs + KEEPALIVE_MS, lateMs: SWEEP_MS };
        this.spans.push({ what: `keepalive ${name}`, ...alive, holds: () => isWell(`/events/${name}/keepalive`) });
        break;
      }
      default: {
        await this.ask('POST', '/clients', { name, address: name, subscriptions: [] });
        await this.ask('DELETE', `/clients/${name}?invalidate=true&invalidate_expire=${String(seconds)}`);
        const isBanned = async (): Promise<boolean> => {
          const { body } = await this.ask('POST', '/api/mon/v1/simulate', { source: name, name: 'x', output: '' });
          return JSON.stringify(body).includes('invalidate');
        };
        this.spans.push({ what: `ban ${name}`, fromMs, toMs, holds: isBanned });
      }
    }
  }

  /**
   * Checks the conditions of all spans that are not near their end.
   *
   * @returns descriptions of the violated conditions
   */
  async broken(): Promise<string[]> {
    const nowMs = this.machine.trueMs;
    const broken: string[] = [];
    for (const [at, { what, fromMs, toMs, lateMs = 0, holds }] of [...this.spans.entries()].toReversed()) {
      const isOver = nowMs > toMs + lateMs + SLACK_MS;
      if (!isOver && nowMs >= toMs - SLACK_MS) continue;
      if ((await holds()) === isOver) {
        broken.push(
          `${what}: ${isOver ? 'there' : 'gone'} after ${inSeconds(nowMs - fromMs)} of ${inSeconds(toMs - fromMs)}`,
        );
      }
      // A span that ended long ago is no longer checked.
      if (isOver && nowMs > toMs + lateMs + 300_000) this.spans.splice(at, 1);
    }
    return broken;
  }

  /** Waits until the backend has completed the writes that are due. */
  async #waitUntilIdle(): Promise<void> {
    for (let turn = 0; turn < 3; turn++) {
      await pause(3);
      await this.ask('GET', '/info');
    }
  }
}

async function step(story: Story, random: RandomChoices): Promise<string> {
  const seconds = 20 + random.below(600);
  const sign = random.pick([1, -1]);
  switch (random.below(12)) {
    case 0:
      story.set(sign * (2 + random.below(3 * 3600)) * 1000);
      return `the clock is ${String(story.offMs / 1000)} s off`;
    case 1:
      story.setRight();
      return 'the clock is set right';
    case 2:
      // A change of less than 300 ms is not a clock jump: the backend follows it like drift.
      if (story.isRight) story.machine.set(sign * random.below(300));
      return 'the clock drifts';
    case 3:
      await story.restart({ awaySeconds: random.below(200), isBooted: false });
      return 'a restart';
    case 4:
      // After a restart of the machine the backend cannot measure its downtime and accepts the clock as right, so this
      // step does not change the clock.
      await story.restart({ awaySeconds: random.below(200), isBooted: true });
      return 'a restart of the machine';
    case 5:
      await story.sleep(seconds);
      return 'the machine sleeps';
    case 6:
      await story.pass(3700);
      return 'more than an hour passes';
    case 7:
    case 8:
      await story.pass(seconds);
      return `${String(seconds)} s pass`;
    default:
      await story.promise(random.below(6), seconds);
      return `a promise: ${story.spans.at(-1)?.what ?? ''} for ${String(seconds)} s`;
  }
}

test(
  'clock jumps, clock drift, machine sleep and restarts neither shorten nor lengthen a duration',
  { timeout: roundsTimeoutMs(ROUNDS, 60_000) },
  async () => {
    const random = new RandomChoices(seed());
    for (let round = 0; round < rounds(ROUNDS); round++) {
      const story = new Story(await tempDir());
      onTestFinished(() => story[Symbol.asyncDispose]());
      await story.start();
      for (let count = 0; count < STEPS; count++) {
        story.stepDescriptions.push(await step(story, random));
        await story.pass(3);
        const broken = await story.broken();
        expect({ broken, told: broken.length === 0 ? [] : story.stepDescriptions }).toEqual({ broken: [], told: [] });
      }
      await story[Symbol.asyncDispose]();
    }
  },
);
