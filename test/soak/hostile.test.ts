/** @module-tag slow */
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { PATIENCE } from '../support/patience.ts';
import { startDaemon, type DaemonProcess } from '../support/start-daemon.ts';
import { tempDir } from '../support/temp-dir.ts';
import { Child } from './hostile/child.ts';
import {
  messagesTable,
  endingsTable,
  growth,
  resourceUsageOf,
  HEADING,
  median,
  rowOf,
  type ResourceUsage,
} from './hostile/figures.ts';
import type { Target } from './hostile/kind.ts';
import { HOSTILE_KINDS } from './hostile/kinds.ts';
import type { HonestResponse, HonestEnd, HonestRequest, HostileFigures, HostileRequest } from './hostile/messages.ts';
import { rounds, seed } from './rounds.ts';

/** Default duration of the test in minutes, a few seconds; `--rounds` sets another number of minutes. */
const MINUTES = 0.06;
const ROW_MS = Math.min(60_000, (rounds(MINUTES) * 60_000) / 2);
const SAMPLE_MS = 500;
const IS_LONG = rounds(MINUTES) >= 1;

const LOAD = IS_LONG
  ? { agents: 100, checksEach: 50, resultsPerSecond: 5000, strength: 1 }
  : { agents: 10, checksEach: 10, resultsPerSecond: 200, strength: 0.1 };

/**
 * Memory limit of the backend. A fifth of it is in use; the remainder is garbage and memory that the system has not
 * reclaimed.
 */
const MEMORY_MAX_MIB = 2560;
const DESCRIPTORS_MAX = 5000;
/** Limit for the p99 latency of a typical table row in which the backend had a CPU core; a short run only prints it. */
const P99_MS_MAX = 2000;
/** Share of the time that the backend waited for a CPU core above which a row is ignored: the machine was too slow. */
const WAITED_SHARE_MAX = 0.5;
/** Duration in minutes from which the memory must show no trend; before, caches and the store still grow. */
const PLATEAU_MINUTES = 20;
const GROWTH_MAX = 1.1;
/** Time limit for the backend to stop; longer next to other tests. */
const STOP_MS_MAX = IS_LONG ? 10_000 : PATIENCE.timeout;

const BASIC = `Basic ${Buffer.from('soak:correct horse').toString('base64')}`;

async function start(stateDir: string, config: string): Promise<DaemonProcess> {
  return await startDaemon({ stateDir, args: ['-c', config] });
}

async function grant(url: string, scopes: readonly string[]): Promise<{ readonly id: string; readonly key: string }> {
  const answer = await fetch(`${url}/api/core/v2/apikeys`, {
    method: 'POST',
    headers: { Authorization: BASIC, 'Content-Type': 'application/json' },
    body: JSON.stringify({ username: 'soak', scopes }),
  });
  expect(answer.status).toBe(201);
  const { key, metadata } = (await answer.json()) as { key: string; metadata: { name: string } };
  return { id: metadata.name, key };
}

/** Returns the stored outputs of the numbered checks of these clients. */
async function storedOutputs(url: string, clients: readonly string[]): Promise<HonestEnd['last']> {
  const stored: Record<string, Record<string, string>> = {};
  for (const client of clients) {
    const answer = await fetch(`${url}/results/${client}`, { headers: { Authorization: BASIC } });
    const results = (await answer.json()) as readonly { check: { name: string; output: string } }[];
    stored[client] = Object.fromEntries(
      results.flatMap(({ check: { name, output } }) => (name.startsWith('check-') ? [[name, output]] : [])),
    );
  }
  return stored;
}

test(
  'hostile clients cannot stop or delay other clients, fill the memory or delay the shutdown',
  async () => {
    const dir = await tempDir();
    const config = join(dir, 'config.json');
    await writeFile(
      config,
      JSON.stringify({
        api: { user: 'soak', password: 'correct horse' },
        'agent-listener': { port: 0 },
        'entity-limit': 'unlimited',
        'request-log-level': 'debug',
        // Clients with ever new names reach this memory limit within an hour.
        'memory-limit': 200,
      }),
    );
    await using backend = await start(join(dir, 'state'), config);
    const url = new URL(backend.url);
    const agentUrl = new URL(backend.agentUrl ?? '');
    const revoked = await grant(backend.url, ['submit']);
    const target: Target = {
      host: url.hostname,
      port: Number(url.port),
      agentPort: Number(agentUrl.port),
      keys: {
        admin: (await grant(backend.url, ['read', 'submit', 'silence', 'resolve', 'admin'])).key,
        read: (await grant(backend.url, ['read'])).key,
        submit: (await grant(backend.url, ['submit'])).key,
        revoked: revoked.key,
      },
    };

    await using honest = new Child<HonestRequest, HonestResponse>('honest.ts');
    await honest.ask({ kind: 'start', url: backend.url, keys: target.keys, ...LOAD });
    await using hostile = new Child<HostileRequest, HostileFigures>('generator.ts');
    hostile.sendRequest({ kind: 'start', target, seed: seed(), strength: LOAD.strength });

    const samples: ResourceUsage[] = [];
    const p99s: number[] = [];
    const failures: string[] = [];
    let [acked, due] = [0, 0];
    console.log(HEADING);
    const startedAt = performance.now();
    let told = await hostile.ask({ kind: 'report' });
    let before = resourceUsageOf(backend.pid);
    for (let row = 1; performance.now() - startedAt < rounds(MINUTES) * 60_000; row++) {
      const rowAt = performance.now();
      while (performance.now() - startedAt < row * ROW_MS) {
        await delay(SAMPLE_MS);
        samples.push(resourceUsageOf(backend.pid));
      }
      if (row === 1) {
        await fetch(`${backend.url}/api/core/v2/apikeys/${revoked.id}`, {
          method: 'DELETE',
          headers: { Authorization: BASIC },
        });
      }
      const figures = await honest.ask({ kind: 'report' });
      told = await hostile.ask({ kind: 'report' });
      if (figures.kind !== 'figures') throw new Error(`unexpected ${figures.kind}`);
      const [now, seconds] = [performance.now(), (performance.now() - rowAt) / 1000];
      const held = resourceUsageOf(backend.pid);
      console.log(rowOf({ atSeconds: (now - startedAt) / 1000, seconds }, { before, held }, figures, told));
      const hadCore = (held.waitedMs - before.waitedMs) / 1000 / seconds < WAITED_SHARE_MAX;
      before = held;
      failures.push(...figures.failures);
      if (!hadCore) continue;
      p99s.push(figures.p99Ms);
      acked += figures.acked;
      due += LOAD.resultsPerSecond * seconds;
    }
    console.log(`${endingsTable(told)}\n${messagesTable(backend.records)}`);

    expect(failures).toEqual([]);
    expect(Object.keys(told.endings)).toHaveLength(HOSTILE_KINDS.length);
    expect(acked).toBeGreaterThanOrEqual(0.8 * due);
    expect(Math.max(...samples.map(({ memoryMiB }) => memoryMiB))).toBeLessThan(MEMORY_MAX_MIB);
    expect(Math.max(...samples.map(({ descriptors }) => descriptors))).toBeLessThan(DESCRIPTORS_MAX);
    expect(median(p99s)).toBeLessThan(IS_LONG ? P99_MS_MAX : Infinity);
    // A short run has no plateau, so only the absolute limits above apply.
    const plateau = rounds(MINUTES) >= PLATEAU_MINUTES ? (['memoryMiB', 'descriptors'] as const) : [];
    const trends = plateau.map((figure) => [figure, growth(samples.map((held) => held[figure]))] as const);
    expect(trends.filter(([, grown]) => grown === undefined || grown >= GROWTH_MAX)).toEqual([]);

    const end = await honest.ask({ kind: 'drain' });
    if (end.kind !== 'drained') throw new Error(`unexpected ${end.kind}`);
    expect(end.rejected).toBe(0);
    expect(await storedOutputs(backend.url, Object.keys(end.last))).toEqual(end.last);

    // The backend must stop although all clients keep their connections open.
    const stoppedAt = performance.now();
    expect(await backend.end('SIGTERM')).toEqual({ code: 0, signal: null });
    const tookMs = performance.now() - stoppedAt;
    console.log(`stopped after ${tookMs.toFixed(0)} ms`);
    expect(tookMs).toBeLessThan(STOP_MS_MAX);

    await using again = await start(join(dir, 'state'), config);
    expect(await storedOutputs(again.url, Object.keys(end.last))).toEqual(end.last);
  },
  120_000 + rounds(MINUTES) * 70_000,
);
