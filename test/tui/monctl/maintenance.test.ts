import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { text } from 'node:stream/consumers';
import { beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest';
import { openApiClient, type ApiClient } from '../../../shared/client/api-client.ts';
import { MonError } from '../../../shared/errors.ts';
import type { HoldRequest } from '../../../shared/schemas/maintenance.ts';
import type { TimelinePage } from '../../../shared/schemas/timeline.ts';
import { CommandSilence } from '../../../tui/monctl/command-silence.ts';
import { placesEnv } from '../../support/administrator.ts';
import { asking } from '../../support/asking.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { MONCTL, runMonctl } from '../../support/run-monctl.ts';
import { startBackend, type RunningBackend } from '../../support/running-backend.ts';
import { deadUrl } from '../../support/scripted-server.ts';

const ID = 'client:web-1:*';

const ended = async (child: ChildProcess): Promise<{ code: number | null; stdout: string; stderr: string }> => {
  const { stdout, stderr } = child;
  if (stdout === null || stderr === null) throw new Error('it has no pipes');
  const [out, error] = await Promise.all([text(stdout), text(stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout: out, stderr: error };
};
const sh = (script: string, max = '1h'): readonly string[] => ['--max', max, '--', 'sh', '-c', script];

describe('maintenance with a backend', () => {
  let backend: RunningBackend;
  let clock: ManualClock;
  let api: ApiClient;

  beforeEach(async () => {
    clock = new ManualClock();
    backend = await startBackend({ clock, batcher: { batchLimit: 1 } });
    onTestFinished(() => backend[Symbol.asyncDispose]());
    api = openApiClient({ backend: backend.url, env: {} });
  });

  function start(words: readonly string[], url = backend.url): ChildProcess {
    const child = spawn(process.execPath, [MONCTL, 'maintenance', 'run', '--client', 'web-1', ...words], {
      env: { PATH: process.env['PATH'], ...placesEnv(), MON_BACKEND: url },
    });
    onTestFinished(() => void child.kill('SIGKILL'));
    return child;
  }
  const silenced = (): Promise<unknown> => api.silencedEntry(ID);

  test('monctl maintenance silences a host while a command runs, and passes on input, output and exit code', async () => {
    const child = start(sh('read line; echo "got $line"; echo trouble >&2; exit 42'));
    await vi.waitFor(async () => expect(await silenced()).toMatchObject({ reason: 'maintenance: sh', expire: 60 }));
    child.stdin?.end('a word\n');
    expect(await ended(child)).toEqual({ code: 42, stdout: 'got a word\n', stderr: 'trouble\n' });
    expect(await silenced()).toBeUndefined();
  });

  test('options after -- belong to the command of monctl maintenance', async () => {
    const { code, stdout } = await ended(start(['--max', '1h', '--', 'printf', '%s.', '--max', '-o', '007']));
    expect([code, stdout]).toEqual([0, '--max.-o.007.']);
  });

  test('monctl maintenance forwards signals to its command, and the command may handle them', async () => {
    const child = start(sh('trap "echo bye; exit 3" TERM; echo ready; while :; do sleep 0.05; done'));
    const [first] = (await once(child.stdout ?? child, 'data')) as [Buffer];
    expect(String(first)).toBe('ready\n');
    child.kill('SIGTERM');
    expect(await ended(child)).toMatchObject({ code: 3, stdout: 'bye\n' });
    expect(await silenced()).toBeUndefined();
  });

  test('monctl maintenance forwards a signal that arrives right after the start of its command', async () => {
    const child = start(sh('trap "exit 3" TERM; kill -TERM $PPID; for n in $(seq 100); do sleep 0.05; done'));
    expect(await ended(child)).toMatchObject({ code: 3, stdout: '' });
    expect(await silenced()).toBeUndefined();
  });

  test('monctl maintenance ends the silence of a killed command and exits with the code that a shell would use', async () => {
    expect(await ended(start(sh('kill -9 $$')))).toMatchObject({ code: 137 });
    expect(await silenced()).toBeUndefined();
  });

  test('a maintenance silence expires within a minute after monctl was killed', async () => {
    const child = start(sh('echo ready; exec sleep 2'));
    await once(child.stdout ?? child, 'data');
    expect(await silenced()).toMatchObject({ expire: 60 });
    child.kill('SIGKILL');
    clock.advance(60_000);
    await vi.waitFor(async () => expect(await silenced()).toBeUndefined());
  });

  test('monctl maintenance with a selector silences the events that match the selector', async () => {
    await api.submitResult({ source: 'web-1', name: 'disk', status: 2, output: 'full' });
    const words = ['maintenance', 'run', '--selector', 'client~web-*', '--max', '1h', '--', 'sh', '-c', 'read line'];
    const child = spawn(process.execPath, [MONCTL, ...words], {
      env: { PATH: process.env['PATH'], ...placesEnv(), MON_BACKEND: backend.url },
    });
    const silencedBy = async (): Promise<number | undefined> => (await api.event('web-1', 'disk'))?.silenced_by.length;
    await vi.waitFor(async () => expect(await silencedBy()).toBe(1));
    child.stdin.end('go\n');
    expect(await ended(child)).toMatchObject({ code: 0, stderr: '' });
    expect(await silencedBy()).toBe(0);
  });

  test('monctl maintenance reports a command that does not exist, and no silence stays', async () => {
    const { code, stderr } = await ended(start(['--max', '1h', '--', '/no/such/program']));
    expect([code, stderr]).toEqual([2, 'monctl: /no/such/program: no such program\n']);
    expect(await silenced()).toBeUndefined();
  });

  test('monctl maintenance of a client that is already silenced starts the command only with --anyway', async () => {
    await api.silence({ subscription: 'client:web-1', creator: 'alice', reason: 'CHG-1', expire: 3600 });
    const refused = await ended(start(sh('echo started')));
    expect(refused).toMatchObject({ code: 6, stdout: '' });
    expect(refused.stderr).toMatch(/is already silenced, by alice: CHG-1: clear it/);
    expect(await ended(start(['--anyway', ...sh('echo started')]))).toMatchObject({ code: 0, stdout: 'started\n' });
    expect(await silenced()).toMatchObject({ creator: 'alice', expire: 3600 });
  });

  test('monctl maintenance without a reachable backend starts the command only with --anyway', async () => {
    const url = await deadUrl();
    expect(await ended(start(sh('echo started'), url))).toMatchObject({ code: 5, stdout: '' });
    const { code, stdout, stderr } = await ended(start(['--anyway', ...sh('echo started; exit 4')], url));
    expect([code, stdout]).toEqual([4, 'started\n']);
    expect(stderr).toMatch(/^monctl: client:web-1:\* could not be renewed, retrying: /);
  });

  test('the audit trail and the timeline record only the begin and the end of a maintenance silence', async () => {
    const hold = { subscription: 'client:web-1', run: 'run-0001', seconds: 60, reason: 'deploy' };
    await api.holdSilence(hold);
    clock.advance(45_000);
    await api.holdSilence({ ...hold, renews: true });
    clock.advance(45_000);
    expect(await silenced()).toMatchObject({ expire: 15 });
    await expect(api.releaseSilence({ ...hold, run: 'run-0002' })).rejects.toMatchObject({ code: 'conflict' });
    await api.releaseSilence({ subscription: 'client:web-1', run: 'run-0001' });
    const ask = asking(backend.url);
    const { transitions } = (await ask('GET', '/api/mon/v1/timeline')).body as TimelinePage;
    expect(transitions.map(({ kind, end }) => [kind, end])).toEqual([
      ['clear', undefined],
      ['silence', undefined],
    ]);
    const audit = (await ask('GET', '/api/mon/v1/audit')).body as { action: string }[];
    expect(audit.map(({ action }) => action)).toEqual(['silence.clear', 'silence.create']);
  });
});

describe('a silence that monctl maintenance renews', () => {
  let clock: ManualClock;
  let answers: (MonError | undefined)[];
  let asked: HoldRequest[];
  let released: number;
  let printed: string[];

  function hold(maxSeconds: number): CommandSilence {
    clock = new ManualClock();
    [answers, asked, released, printed] = [[], [], 0, []];
    return new CommandSilence({
      api: {
        holdSilence: (request) => {
          asked.push(request);
          const error = answers.shift();
          return error === undefined ? Promise.resolve() : Promise.reject(error);
        },
        releaseSilence: () => Promise.resolve(++released > 0),
      },
      clock,
      target: { subscription: 'client:web-1', run: 'run-0001' },
      maxSeconds,
      say: (line) => printed.push(line),
    });
  }
  /** Advances the clock second by second and lets the tasks of each second run. */
  async function wait(seconds: number): Promise<void> {
    for (let second = 0; second < seconds; second++) {
      clock.advance(1000);
      for (let turn = 0; turn < 5; turn++) await Promise.resolve();
    }
  }
  const told = (): [number, boolean][] => asked.map(({ seconds, renews }) => [seconds, renews === true]);
  const away = new MonError('unavailable', 'nobody answers');

  test('a maintenance silence is renewed every 15 seconds, never beyond the maximum duration', async () => {
    const held = hold(90);
    await held.begin(false);
    await wait(80);
    expect(told()).toEqual([
      [60, false],
      [60, true],
      [60, true],
      [45, true],
      [30, true],
      [15, true],
    ]);
    await wait(20);
    expect(printed).toEqual(['--max is reached: the command continues without a silence']);
    await held.end();
    expect(released).toBe(0);
  });

  test('monctl maintenance reports an unavailable backend once, retries, and creates an expired silence again', async () => {
    const held = hold(3600);
    await held.begin(false);
    answers = Array.from({ length: 20 }, () => away);
    await wait(80);
    expect(printed).toEqual(['client:web-1:* could not be renewed, retrying: nobody answers', 'silenced again']);
    expect(
      told()
        .slice(1, 16)
        .every(([, renews]) => renews),
    ).toBe(true);
    expect(told().slice(16)).toEqual(Array.from({ length: told().length - 16 }, () => [60, false]));
    await held.end();
    expect(released).toBe(1);
  });

  test.each(['conflict', 'not_found', 'forbidden'] as const)(
    'monctl maintenance reports the error %s of a renewal and does not retry',
    async (code) => {
      const held = hold(3600);
      await held.begin(false);
      answers = [new MonError(code, 'a reason')];
      await wait(120);
      expect([asked.length, printed]).toEqual([2, ['not silenced, and no retry can help: a reason']]);
      await held.end();
      expect(released).toBe(0);
    },
  );

  test('monctl maintenance does not start without its silence unless a retry is allowed', async () => {
    const held = hold(3600);
    answers = [away, away];
    await expect(held.begin(false)).rejects.toBe(away);
    await held.begin(true);
    await wait(3);
    expect(printed.at(-1)).toBe('silenced again');
    await held.end();
  });
});

test.each([
  [['--max', '1h', '--', 'true'], /select what to silence/],
  [['--client', 'web-1', '--', 'true'], /set the maximum duration: --max 2h/],
  [['--client', 'web-1', '--max', '1h'], /the command is missing: use monctl maintenance run … -- COMMAND/],
  [['--client', 'web-1', '--max', 'soon', '--', 'true'], /duration/],
  [['--client', 'web-1', '--max', '1h', './deploy.sh'], /is an unexpected argument/],
])('the arguments %j of monctl maintenance are rejected before anything is sent or started', async (words, message) => {
  const { code, stderr } = await runMonctl(['maintenance', 'run', ...words], { MON_BACKEND: 'http://127.0.0.1:1' });
  expect(code).toBe(2);
  expect(stderr).toMatch(message);
});
