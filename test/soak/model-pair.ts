import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Backend } from '../../daemon/backend/compose.ts';
import { ManualClock } from '../support/manual-clock.ts';
import { openBackend } from '../support/open-backend.ts';
import { ReferenceModel } from '../support/reference-model.ts';
import { DEFINITIONS, type Step } from './model-steps.ts';

/** The status of an answer, and the one that the model expects. */
interface Outcome {
  readonly status: number;
  readonly expected: number;
}

/** The backend and the model side by side. */
export class ModelPair implements AsyncDisposable {
  readonly #clock = new ManualClock();
  readonly #model = new ReferenceModel({ ...DEFINITIONS });
  readonly #dir: string;
  readonly #actualIds = new IdNames();
  readonly #expectedIds = new IdNames();
  #backend: Backend;

  private constructor(dir: string, backend: Backend) {
    this.#dir = dir;
    this.#backend = backend;
  }

  static async open(): Promise<ModelPair> {
    const dir = await mkdtemp(join(tmpdir(), 'mon-test-'));
    const pair = new ModelPair(dir, {
      url: '',
      reload: () => Promise.resolve(),
      stop: () => Promise.resolve(),
      lost: new Promise(() => undefined),
    });
    pair.#backend = await pair.#start();
    return pair;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.#backend.stop();
    await rm(this.#dir, { recursive: true, force: true });
  }

  /** Does it to both; a step without a request answers what was expected. */
  async take(given: Step): Promise<Outcome> {
    const nowMs = this.#clock.now();
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
        model.silence(request, nowMs);
        return this.#ask('POST', '/silenced', 201, request);
      }
      case 'clear': {
        const expected = model.clear(given.id, nowMs) ? 204 : 404;
        return given.by === 'POST'
          ? this.#ask('POST', '/silenced/clear', expected, { id: given.id })
          : this.#ask('DELETE', `/silenced/ids/${given.id}`, expected);
      }
      case 'wait':
        this.#clock.advance(given.ms);
        return { status: 0, expected: 0 };
      case 'restart':
        await this.#backend.stop();
        this.#backend = await this.#start();
        return { status: 0, expected: 0 };
    }
  }

  /** What the backend answers to every list, and to some of what can be asked one by one. */
  async actual(): Promise<Readonly<Record<string, unknown>>> {
    const answers: Record<string, unknown> = {};
    for (const path of Object.keys(this.expected())) {
      answers[path] = await (await fetch(this.#backend.url + path)).json();
    }
    return { ...answers, '/events': this.#actualIds.rename(answers['/events'] as Readonly<Record<string, unknown>>[]) };
  }

  /** What the model says to that. */
  expected(): Readonly<Record<string, unknown>> {
    const nowMs = this.#clock.now();
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
    };
  }

  async #start(): Promise<Backend> {
    return openBackend({
      dir: this.#dir,
      clock: this.#clock,
      // Without waiting for company, because time stands still.
      batcher: { batchLimit: 1 },
      definitions: { checks: new Map(Object.entries(DEFINITIONS)) },
    });
  }

  async #ask(method: string, path: string, expected: number, body?: unknown): Promise<Outcome> {
    const answer = await fetch(this.#backend.url + path, {
      method,
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    await answer.arrayBuffer();
    return { status: answer.status, expected };
  }
}

/** Ids are UUIDs there and numbers here; both are named by the order in which they come up. */
class IdNames {
  readonly #names = new Map<unknown, string>();

  rename(events: readonly Readonly<Record<string, unknown>>[]): unknown {
    return events.map((event) => Object.assign({}, event, { id: this.#nameOf(event['id']) }));
  }

  #nameOf(id: unknown): string {
    const name = this.#names.get(id) ?? `event ${String(this.#names.size + 1)}`;
    this.#names.set(id, name);
    return name;
  }
}
