import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '../../shared/client/api-client.ts';
import type { UpgradeClient } from '../../shared/client/plan-client.ts';
import { MonError } from '../../shared/errors.ts';
import { INTERVAL, recordedResults, resultsDue } from './checks.ts';
import { clientOfMachine, MACHINES, rackName } from './machines.ts';

/** Number of rounds of past results: enough to fill a check history, so that flapping is detected. */
const ROUNDS_BEFORE = 21;

/** Number of concurrent requests while the machines are created. */
const AT_ONCE = 16;

const HOUR = 3600;
const DAY = 24 * HOUR;

/** Seconds between the recorded values before the replayed results: the step of a series. */
const RECORDED_STEP = 300;

/** A simulated site on a backend: machines with results, problems that come and go, and silences created by users. */
export interface DemoSite extends AsyncDisposable {
  /** Resolves when the machines, past results, silences and the upgrade plan exist, so that the console can open. */
  readonly ready: Promise<void>;
}

/** Progress of creating the site, before the console can open. */
export interface DemoProgress {
  readonly step: 'creating 2,000 machines' | 'replaying past results';
  /** Progress of the step in percent. */
  readonly percent: number;
}

interface DemoOptions {
  /** Number of rounds of past results that are submitted before the console can open. Default: 21. */
  readonly roundsBefore?: number;
  readonly onProgress?: (progress: DemoProgress) => void;
}

/**
 * Starts the demonstration site.
 *
 * @param api client of an empty backend with the definitions of `checks.ts`
 * @param plans client for the upgrade plans of the same backend
 */
export function startDemoSite(
  api: ApiClient,
  plans: UpgradeClient,
  { roundsBefore = ROUNDS_BEFORE, onProgress = () => undefined }: DemoOptions = {},
): DemoSite {
  const stopping = new AbortController();
  const progressOf =
    (step: DemoProgress['step']) =>
    (done: number, total: number): void =>
      onProgress({ step, percent: Math.floor((100 * done) / total) });
  const ready = makeMachines(api, progressOf('creating 2,000 machines'), stopping.signal)
    .then(() => submitPastResults(api, roundsBefore, progressOf('replaying past results'), stopping.signal))
    .then(async (beganAt) => {
      await createSilences(api, beganAt);
      await plans.create({ from: '6.1.0', to: '6.5.0' });
      return beganAt;
    });
  const running = ready.then((beganAt) => submitDueResults(api, beganAt, stopping.signal));
  const ended = running.catch((error: unknown) => {
    if (!stopping.signal.aborted) throw error;
  });
  return {
    ready: ready.then(() => undefined),
    async [Symbol.asyncDispose]() {
      stopping.abort();
      await ended.catch(() => undefined);
    },
  };
}

/**
 * Submits the past results: those that were due before the site began.
 *
 * @returns the time at which the site began (its second 0), in epoch seconds
 */
async function submitPastResults(api: ApiClient, rounds: number, onDone: OnDone, signal: AbortSignal): Promise<number> {
  const beganAt = Math.floor(Date.now() / 1000);
  const seconds = rounds * INTERVAL;
  const steps = Math.ceil((DAY - seconds) / RECORDED_STEP);
  for (let step = 0; step < steps; step++) {
    signal.throwIfAborted();
    onDone(step, steps + seconds);
    const second = -DAY + step * RECORDED_STEP;
    await api.submitResults(recordedResults(second, beganAt + second));
  }
  for (let second = -seconds; second < 0; second++) {
    signal.throwIfAborted();
    onDone(steps + seconds + second, steps + seconds);
    await submit(api, second, beganAt);
  }
  return beganAt;
}

type OnDone = (done: number, total: number) => void;

async function makeMachines(api: ApiClient, onDone: OnDone, signal: AbortSignal): Promise<void> {
  const waiting = MACHINES.values();
  let done = 0;
  const make = async (): Promise<void> => {
    for (const machine of waiting) {
      signal.throwIfAborted();
      onDone(done, MACHINES.length);
      await api.saveClient(clientOfMachine(machine));
      done++;
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, make));
  // The machines in `LOST` never send another keepalive, so that keepalive events open for them.
  for (const { name, address, team } of LOST) {
    await api.saveClient({
      name,
      address,
      team,
      subscriptions: ['app'],
      version: '1.9.0',
      keepalives: true,
      keepalive: { thresholds: { warning: 20, critical: 90 }, handlers: ['on-call'] },
    });
  }
}

const LOST = [
  { name: 'legacy-erp', address: '10.9.0.4', team: 'backend' },
  { name: 'print-server', address: '10.9.0.17', team: 'office' },
];

/** Creates what users did before the console opens: silences of each kind. */
async function createSilences(api: ApiClient, now: number): Promise<void> {
  const entries = [
    {
      subscription: 'client:storage-029',
      reason: 'disk is being replaced, OPS-4711',
      creator: 'maria',
      expire: 2 * HOUR,
    },
    { subscription: 'db', check: 'replication', reason: 'schema change tonight', creator: 'jun', expire: HOUR / 2 },
    { check: 'certificate', reason: 'renewed in bulk on Friday', creator: 'sam', expire: 3 * 24 * HOUR },
    {
      subscription: 'client:web-027',
      check: 'disk',
      reason: 'log rotation is broken',
      creator: 'ada',
      expire_on_resolve: true,
    },
    {
      subscription: `rack:${rackName(11)}`,
      reason: 'power work in this rack',
      creator: 'jun',
      begin: now + HOUR / 6,
      expire: 2 * HOUR,
    },
  ];
  for (const entry of entries) await api.silence(entry);
}

/** Submits the results that are due in each second. Results of a second in which the backend is down are lost. */
async function submitDueResults(api: ApiClient, beganAt: number, signal: AbortSignal): Promise<void> {
  for (let second = 0; ; second++) {
    const waitMs = (beganAt + second) * 1000 - Date.now();
    if (waitMs > 0) await delay(waitMs, undefined, { signal });
    signal.throwIfAborted();
    try {
      await submit(api, second, beganAt);
    } catch (error) {
      if (!(error instanceof MonError)) throw error;
    }
  }
}

const submit = (api: ApiClient, second: number, beganAt: number): Promise<unknown> =>
  api.submitResults(resultsDue(second, beganAt + second));
