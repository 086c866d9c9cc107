import { isDeepStrictEqual } from 'node:util';
import { setTimeout as delay } from 'node:timers/promises';
import { AgentPeer } from '../support/agent-peer.ts';
import type { RandomChoices } from './random-choices.ts';
import { outcomeOf } from './outcome.ts';
import type { ModelSilenceRequest } from '../support/model-silences.ts';
import { ReferenceModel, type ModelResult } from '../support/reference-model.ts';

export type Item = Readonly<Record<string, unknown>>;

/** The lists of the v1 API that a backend returns. */
export interface Lists {
  readonly clients: readonly Item[];
  readonly results: readonly Item[];
  readonly events: readonly Item[];
  readonly silenced: readonly Item[];
}

export async function listsOf(url: string): Promise<Lists> {
  const list = async (path: string): Promise<readonly Item[]> => {
    const answer = await fetch(url + path);
    if (answer.status !== 200) throw new Error(`GET ${url}${path}: ${String(answer.status)} ${await answer.text()}`);
    return (await answer.json()) as readonly Item[];
  };
  return {
    clients: await list('/clients'),
    results: await list('/results'),
    events: await list('/events'),
    silenced: await list('/silenced'),
  };
}

/** The state of one client, without the values that depend on the time of the backend. */
type View = readonly unknown[];

/** A change that a writer requests from a backend. */
interface Change {
  /**
   * Applies the change to the model.
   *
   * @returns the HTTP status that the backend must respond with; 0 for a result of an agent
   */
  readonly apply: (model: ReferenceModel) => number;
  readonly request?: { readonly method: string; readonly path: string; readonly body?: unknown };
  readonly result?: ModelResult;
}

/**
 * Records the changes that one writer requested for its client. Only this writer changes the client, so the client's
 * state follows from them: all acknowledged changes, then any number of the next ones in order, each of them once and
 * completely.
 */
export class Ledger {
  readonly name: string;
  /** Changes that were requested since the last comparison, in order. */
  readonly pending: Change[] = [];
  /** Number of `pending` changes that were acknowledged. */
  acked = 0;
  /** Total number of changes that the last compared state contains. */
  comparedChangeCount = 0;
  #state = new ReferenceModel();
  /** Event ids of the backend by the ids of the model. */
  readonly #ids = new Map<string, unknown>();

  constructor(name: string) {
    this.name = name;
  }

  /** Returns a copy of the model in the last compared state. */
  copyState(): ReferenceModel {
    return this.#state.copy();
  }

  /**
   * Finds the number of requested changes after which the model equals the backend's lists, and continues from there.
   *
   * @throws Error if the lists lack an acknowledged change, or match no number of changes
   */
  compare(lists: Lists): void {
    const actual = viewOf(this.name, lists);
    const model = this.#state.copy();
    const views: View[] = [];
    for (let applied = 0; applied <= this.pending.length; applied++) {
      if (applied >= this.acked) {
        const expected = viewOf(this.name, listsOfModel(model));
        if (isDeepStrictEqual(actual, expected)) {
          this.#compareIds(lists, model);
          this.#state = model;
          this.comparedChangeCount += applied;
          this.pending.splice(0, applied);
          this.acked = 0;
          return;
        }
        views.push(expected);
      }
      this.pending[applied]?.apply(model);
    }
    throw new Error(
      `${this.name}: what is there is no state after the ${String(this.acked)} acknowledged changes\n` +
        `there is ${JSON.stringify(actual)}\nexpected ${JSON.stringify(views[0])}\n` +
        `or after ${String(views.length - 1)} more ${JSON.stringify(views.at(-1))}`,
    );
  }

  #compareIds(lists: Lists, model: ReferenceModel): void {
    const expected = listsOfModel(model).events;
    for (const [at, event] of lists.events.filter((one) => clientNameOf(one) === this.name).entries()) {
      const id = String(expected[at]?.['id']);
      if ((this.#ids.get(id) ?? event['id']) !== event['id']) throw new Error(`${this.name}: an event changed its id`);
      this.#ids.set(id, event['id']);
    }
  }
}

/** A client that sends one change after the other over HTTP. */
export class HttpWriter {
  readonly ledger: Ledger;
  /** Number of changes that the backend rejected with status 503. */
  refused = 0;
  readonly #random: RandomChoices;
  #count = 0;

  constructor(name: string, random: RandomChoices) {
    this.ledger = new Ledger(name);
    this.#random = random;
  }

  /** Sends changes until the backend is gone or `enough` is aborted. All earlier changes must have been compared. */
  async run(url: string, enough?: AbortSignal): Promise<void> {
    const { ledger } = this;
    // Requested changes that the comparison did not find were not made, and will not be made.
    ledger.pending.length = 0;
    let ahead = ledger.copyState();
    for (;;) {
      if (enough?.aborted === true) return;
      const change = this.#next();
      const expected = change.apply(ahead);
      ledger.pending.push(change);
      const status = await statusOf(url, change);
      if (status === undefined) return;
      if (status === 503) {
        // A change that was rejected with status 503 was not made.
        this.refused++;
        ledger.pending.pop();
        ahead = ledger.copyState();
        for (const done of ledger.pending) done.apply(ahead);
        await delay(1);
        continue;
      }
      if (status !== expected) {
        throw new Error(`${JSON.stringify(change.request)}: ${String(status)}, not ${String(expected)}`);
      }
      ledger.acked++;
    }
  }

  #next(): Change {
    const { name } = this.ledger;
    const check = checkName(this.#random.below(CHECKS));
    const dice = this.#random.below(100);
    if (dice < 50) {
      const result = this.#result();
      return { apply: post([result]), request: { method: 'POST', path: '/results', body: result } };
    }
    if (dice < 65) {
      const results = Array.from({ length: 1 + this.#random.below(40) }, () => this.#result());
      return { apply: post(results), request: { method: 'POST', path: '/api/mon/v1/results', body: results } };
    }
    if (dice < 80) {
      const request: ModelSilenceRequest = {
        subscription: `client:${name}`,
        ...(this.#random.below(3) === 0 ? {} : { check }),
        reason: `silence ${String(++this.#count)}`,
        expire_on_resolve: this.#random.below(2) === 0,
      };
      const apply = (model: ReferenceModel): number => {
        model.silence(request, Date.now());
        return 201;
      };
      return { apply, request: { method: 'POST', path: '/silenced', body: request } };
    }
    if (dice < 85) {
      const id = `client:${name}:${check}`;
      return {
        apply: (model) => (model.clear(id, Date.now()) ? 204 : 404),
        request: { method: 'POST', path: '/silenced/clear', body: { id } },
      };
    }
    if (dice < 95) {
      return {
        apply: (model) => (model.resolve(name, check, Date.now()) ? 202 : 404),
        request: { method: 'POST', path: '/resolve', body: { client: name, check } },
      };
    }
    if (dice < 99) {
      return {
        apply: (model) => (model.deleteResult(name, check) ? 204 : 404),
        request: { method: 'DELETE', path: `/results/${name}/${check}` },
      };
    }
    return {
      apply: (model) => (model.deleteClient(name, Date.now()) ? 202 : 404),
      request: { method: 'DELETE', path: `/clients/${name}` },
    };
  }

  #result(): ModelResult {
    return { ...tellingResult(++this.#count, this.#random), source: this.ledger.name };
  }
}

/**
 * Delivers results like an agent: many before the first acknowledgment, and after a reconnect those that were not
 * acknowledged.
 */
export class AgentWriter {
  readonly ledger: Ledger;
  readonly #random: RandomChoices;
  #count = 0;

  constructor(name: string, random: RandomChoices) {
    this.ledger = new Ledger(name);
    this.#random = random;
  }

  /**
   * Sends results until the backend is gone, or until `enough` is aborted and all results are acknowledged. All earlier
   * results must have been compared.
   */
  async run(url: string, enough?: AbortSignal): Promise<void> {
    const { ledger } = this;
    let isFirst = true;
    for (;;) {
      const agent = await AgentPeer.connect(url, ledger.name).catch(() => undefined);
      if (agent === undefined) return;
      agent.greet('spool', { keepalives: false });
      while (agent.heard.length === 0 && agent.ending === undefined) await delay(1);
      if (agent.heard[0]?.type === 'welcome') {
        const welcomed = agent.acked - ledger.comparedChangeCount;
        if (welcomed < ledger.acked || (isFirst && welcomed > 0)) {
          throw new Error(`${ledger.name} is welcomed after ${String(welcomed)} changes, not ${String(ledger.acked)}`);
        }
        isFirst = false;
        await this.#deliver(agent, enough);
      }
      agent.cut();
      if (enough?.aborted === true) return;
      await delay(1);
    }
  }

  async #deliver(agent: AgentPeer, enough: AbortSignal | undefined): Promise<void> {
    const { ledger } = this;
    const isOver = (): boolean => enough?.aborted === true;
    let sent = agent.acked - ledger.comparedChangeCount;
    for (;;) {
      ledger.acked = agent.acked - ledger.comparedChangeCount;
      if (agent.ending !== undefined || (isOver() && ledger.acked === sent)) return;
      while (sent - ledger.acked < WINDOW && !isOver()) {
        const end = sent + 1 + this.#random.below(10);
        while (ledger.pending.length < end) {
          ledger.pending.push(agentChange(ledger.name, ++this.#count, this.#random));
        }
        const frame = ledger.pending.slice(sent, end);
        agent.say({
          type: 'results',
          results: frame.flatMap(({ result }, at) =>
            result === undefined ? [] : [{ id: ledger.comparedChangeCount + sent + at + 1, check: result }],
          ),
        });
        sent = end;
      }
      await delay(1);
    }
  }
}

/** Returns the change that the agent's result number `count` makes. */
export function agentChange(name: string, count: number, random: RandomChoices): Change {
  const result = tellingResult(count, random);
  const apply = (model: ReferenceModel): number => {
    model.post(result, Date.now(), name);
    return 0;
  };
  return { result, apply };
}

const CHECKS = 5;
const WINDOW = 64;

const checkName = (check: number): string => `check-${String(check)}`;
/** Name of the check whose results each have a new status. */
export const COUNTING_CHECK = checkName(0);

/**
 * Returns result number `count`, which its output identifies. The statuses of the first check count up, so that its
 * history shows each result. The other checks have events, flapping, and events that stay open after an OK result.
 */
function tellingResult(count: number, random: RandomChoices): ModelResult {
  const check = random.below(CHECKS);
  const base = { name: checkName(check), output: `result ${String(count)}`, executed: 1_700_000_000 + count };
  if (check === 0) return { ...base, status: count };
  const status = random.pick([0, 0, 1, 2, 2]);
  if (check === 1) return { ...base, status, auto_resolve: false };
  if (check === 2) return { ...base, status, low_flap_threshold: 30, high_flap_threshold: 45 };
  if (check === 3) return { ...base, status, truncate_output: true, truncate_output_length: 8 };
  return { ...base, status };
}

function post(results: readonly ModelResult[]): (model: ReferenceModel) => number {
  return (model) => {
    for (const result of results) model.post(result, Date.now());
    return 202;
  };
}

/**
 * Sends a change to the backend.
 *
 * @returns the status of the response; 503 if the change was rejected; `undefined` if the outcome is unknown or the
 * backend was not reached
 */
async function statusOf(url: string, { request }: Change): Promise<number | undefined> {
  if (request === undefined) return undefined;
  const outcome = await outcomeOf(url, request);
  if (outcome.kind === 'unknown' || outcome.kind === 'unreached') return undefined;
  return outcome.kind === 'refused' ? 503 : outcome.status;
}

function listsOfModel(model: ReferenceModel): Lists {
  const nowMs = Date.now();
  return {
    clients: model.clients(),
    results: model.results(),
    events: model.events(nowMs),
    silenced: model.silenced(nowMs),
  };
}

function viewOf(name: string, { results, events, silenced }: Lists): View {
  return [
    ...results.filter(({ client }) => client === name).map(({ check }) => pick(check, RESULT_PARTS)),
    ...events
      .filter((event) => clientNameOf(event) === name)
      .map((event) => [pick(event, EVENT_PARTS), pick(event['check'], RESULT_PARTS)]),
    ...silenced
      .filter(({ subscription }) => subscription === `client:${name}`)
      .map((entry) => pick(entry, SILENCED_PARTS)),
  ];
}

const RESULT_PARTS = ['name', 'output', 'status', 'history', 'total_state_change'];
const EVENT_PARTS = ['occurrences', 'occurrences_watermark', 'action', 'silenced', 'silenced_by'];
const SILENCED_PARTS = ['id', 'reason', 'expire_on_resolve', 'expire'];

function pick(item: unknown, parts: readonly string[]): unknown {
  return parts.map((part) => (item as Item)[part]);
}

function clientNameOf(event: Item): unknown {
  return (event['client'] as Item)['name'];
}
