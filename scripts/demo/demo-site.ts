import { setTimeout as delay } from 'node:timers/promises';
import type { ApiClient } from '../../shared/client/api-client.ts';
import type { UpgradeClient } from '../../shared/client/plan-client.ts';
import { MonError } from '../../shared/errors.ts';
import { CHECK_INTERVAL_SECONDS, recordedResults, resultsDue } from './checks.ts';
import { clientOfMachine, ALL_MACHINES, rackName } from './machines.ts';

/** Number of rounds of past results: enough to fill a check history, so that flapping is detected. */
const PAST_ROUNDS = 21;

/** Number of concurrent requests while the machines are created. */
const CONCURRENT_REQUESTS = 16;

const HOUR_SECONDS = 3600;
const DAY_SECONDS = 24 * HOUR_SECONDS;

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
  { roundsBefore = PAST_ROUNDS, onProgress = () => undefined }: DemoOptions = {},
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
async function submitPastResults(
  api: ApiClient,
  rounds: number,
  onDone: ReportProgress,
  signal: AbortSignal,
): Promise<number> {
  const beganAt = Math.floor(Date.now() / 1000);
  const seconds = rounds * CHECK_INTERVAL_SECONDS;
  const steps = Math.ceil((DAY_SECONDS - seconds) / RECORDED_STEP);
  for (let step = 0; step < steps; step++) {
    signal.throwIfAborted();
    onDone(step, steps + seconds);
    const second = -DAY_SECONDS + step * RECORDED_STEP;
    await api.submitResults(recordedResults(second, beganAt + second));
  }
  for (let second = -seconds; second < 0; second++) {
    signal.throwIfAborted();
    onDone(steps + seconds + second, steps + seconds);
    await submitResultsOfSecond(api, second, beganAt);
  }
  return beganAt;
}

type ReportProgress = (done: number, total: number) => void;

async function makeMachines(api: ApiClient, onDone: ReportProgress, signal: AbortSignal): Promise<void> {
  const waiting = ALL_MACHINES.values();
  let done = 0;
  const make = async (): Promise<void> => {
    for (const machine of waiting) {
      signal.throwIfAborted();
      onDone(done, ALL_MACHINES.length);
      await api.saveClient(clientOfMachine(machine));
      done++;
    }
  };
  await Promise.all(Array.from({ length: CONCURRENT_REQUESTS }, make));
  // The machines in `LOST_CLIENTS` never send another keepalive, so that keepalive events open for them.
  for (const { name, address, team } of LOST_CLIENTS) {
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

const LOST_CLIENTS = [
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
      expire: 2 * HOUR_SECONDS,
    },
    {
      subscription: 'db',
      check: 'replication',
      reason: 'schema change tonight',
      creator: 'jun',
      expire: HOUR_SECONDS / 2,
    },
    { check: 'certificate', reason: 'renewed in bulk on Friday', creator: 'sam', expire: 3 * 24 * HOUR_SECONDS },
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
      begin: now + HOUR_SECONDS / 6,
      expire: 2 * HOUR_SECONDS,
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
      await submitResultsOfSecond(api, second, beganAt);
    } catch (error) {
      if (!(error instanceof MonError)) throw error;
    }
  }
}

const submitResultsOfSecond = (api: ApiClient, second: number, beganAt: number): Promise<unknown> =>
  api.submitResults(resultsDue(second, beganAt + second));
