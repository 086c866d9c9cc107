import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { openCheckRunner, withLocalDefinition, type CheckRunner } from '../../../daemon/agent/run-check.ts';
import type { CheckRequest } from '../../../shared/schemas/agent.ts';
import { resultSchema, type SubmittedResult } from '../../../shared/schemas/result.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { RecordedLog } from '../../support/recorded-log.ts';
import { tempDir } from '../../support/temp-dir.ts';

const START_SECONDS = ManualClock.START_MS / 1000;

interface Bench {
  readonly clock: ManualClock;
  readonly log: RecordedLog;
  readonly results: SubmittedResult[];
  readonly runner: CheckRunner;
  /** The results, once there are this many. */
  readonly finished: (count: number) => Promise<SubmittedResult[]>;
}

function aBench(): Bench {
  const clock = new ManualClock();
  const log = new RecordedLog();
  const results: SubmittedResult[] = [];
  const deliver = async (result: SubmittedResult): Promise<void> => {
    results.push(await Promise.resolve(result));
  };
  const runner = openCheckRunner({ clock, log, deliver });
  onTestFinished(async () => {
    const stopped = runner.stop(0);
    clock.advance(0);
    await stopped;
  });
  const finished = async (count: number): Promise<SubmittedResult[]> =>
    await vi.waitFor(() => {
      expect(results).toHaveLength(count);
      return results;
    }, 5000);
  return { clock, log, results, runner, finished };
}

const fail = async (): Promise<void> => await Promise.reject(new Error('disk full'));

const aRequest = (request: Partial<CheckRequest>): CheckRequest => ({
  name: 'disk',
  issued: START_SECONDS - 1,
  ...request,
});

describe('a result', () => {
  test('is the request with what came out of it', async () => {
    const { runner, finished } = aBench();
    runner.start(
      aRequest({ command: 'echo 93%; exit 2', handlers: ['mail'], playbook: { url: 'https://example.org' } }),
    );
    expect(await finished(1)).toEqual([
      {
        name: 'disk',
        issued: START_SECONDS - 1,
        command: 'echo 93%; exit 2',
        handlers: ['mail'],
        playbook: { url: 'https://example.org' },
        executed: START_SECONDS,
        duration: 0,
        output: '93%\n',
        status: 2,
      },
    ]);
  });

  test('tells the duration in seconds with three decimals', async () => {
    const { clock, runner, finished } = aBench();
    runner.start(aRequest({ command: 'exec sleep 0.05' }));
    clock.advance(1234.5678);
    expect(await finished(1)).toMatchObject([{ duration: 1.235 }]);
  });

  test('of a timeout is critical', async () => {
    const { clock, runner, finished } = aBench();
    runner.start(aRequest({ command: 'echo partial; sleep 600', timeout: 0.5 }));
    clock.advance(500);
    expect(await finished(1)).toMatchObject([{ status: 2, output: 'Execution timed out', duration: 0.5 }]);
  });

  test('of a command that could not be started is unknown', async () => {
    const { runner, finished } = aBench();
    runner.start(aRequest({ command: 'true \0' }));
    expect(await finished(1)).toMatchObject([{ status: 3, output: expect.stringMatching(/^Unexpected error: ./) }]);
  });

  test('is one that the backend accepts', async () => {
    const { runner, finished } = aBench();
    runner.start(aRequest({ command: 'true', interval: 60, ttl: 120, source: 'switch-1' }));
    const [result] = await finished(1);
    expect(resultSchema.safeParse(result).success).toBe(true);
  });
});

describe('a check that is still running', () => {
  test('is not started again', async () => {
    const { log, runner, finished, results } = aBench();
    runner.start(aRequest({ command: 'sleep 0.1; echo first' }));
    runner.start(aRequest({ command: 'echo second' }));
    expect(log.messages('warn')).toEqual(['previous check command execution in progress']);
    await finished(1);
    expect(results).toMatchObject([{ output: 'first\n' }]);
  });

  test('may run for another source at the same time', async () => {
    const { log, runner, finished } = aBench();
    runner.start(aRequest({ command: 'sleep 0.05' }));
    runner.start(aRequest({ command: 'sleep 0.05', source: 'switch-1' }));
    runner.start(aRequest({ command: 'sleep 0.05', source: 'switch-2' }));
    await finished(3);
    expect(log.messages('warn')).toEqual([]);
  });

  test('may run again once it has ended', async () => {
    const { runner, finished, results } = aBench();
    runner.start(aRequest({ command: 'true' }));
    await finished(1);
    await vi.waitFor(() => {
      runner.start(aRequest({ command: 'true' }));
      expect(results).toHaveLength(2);
    });
  });
});

test('twelve checks run at once, the others wait for their turn', async () => {
  const { clock, runner, finished } = aBench();
  const started = join(await tempDir(), 'started');
  for (let number = 1; number <= 12; number += 1) {
    const command = `echo ${String(number)} >> ${started}; sleep 600`;
    runner.start(aRequest({ name: `check-${String(number)}`, command, timeout: number === 1 ? 5 : 9 }));
  }
  runner.start(aRequest({ name: 'check-13', command: `echo 13 >> ${started}; echo late` }));
  const inOrder = async (): Promise<number[]> =>
    (await readFile(started, 'utf8'))
      .trim()
      .split('\n')
      .map(Number)
      .toSorted((left, right) => left - right);
  await vi.waitFor(async () => expect(await inOrder()).toHaveLength(12));
  expect(await inOrder()).not.toContain(13);
  clock.advance(5000);
  expect(await finished(2)).toMatchObject([
    { name: 'check-1', output: 'Execution timed out' },
    { name: 'check-13', output: 'late\n' },
  ]);
});

test('a check without a command is refused', () => {
  const { log, runner } = aBench();
  runner.start(aRequest({ extension: 'system_profile' }));
  expect(log.messages('warn')).toEqual(['check has no command, extensions are not supported']);
});

test('a result that cannot be delivered is told, and the check may run again', async () => {
  const log = new RecordedLog();
  const runner = openCheckRunner({ clock: new ManualClock(), log, deliver: fail });
  runner.start(aRequest({ command: 'true' }));
  await vi.waitFor(() => expect(log.messages('error')).toEqual(['check result lost, it could not be spooled']));
  await vi.waitFor(() => {
    runner.start(aRequest({ command: 'true' }));
    expect(log.messages('error')).toHaveLength(2);
  });
  await runner.stop(0);
});

describe('stopping', () => {
  test('waits for what runs and starts nothing more', async () => {
    const { runner, results, log } = aBench();
    runner.start(aRequest({ command: 'sleep 0.1; echo done' }));
    const stopped = runner.stop(10_000);
    runner.start(aRequest({ name: 'late', command: 'true' }));
    await stopped;
    expect(results).toMatchObject([{ output: 'done\n' }]);
    expect(log.messages('warn')).toEqual(['the agent is stopping']);
  });

  test('kills what takes longer, which leaves no result', async () => {
    const { clock, runner, results, log } = aBench();
    runner.start(aRequest({ command: 'sleep 600' }));
    const stopped = runner.stop(10_000);
    clock.advance(10_000);
    await stopped;
    expect(results).toEqual([]);
    expect(log.messages('warn')).toEqual(['check stopped with the agent, it leaves no result']);
  });
});

describe('a request', () => {
  test('is overruled by the local definition of the same name, but for its name and time', () => {
    const request = aRequest({ command: 'from-backend', timeout: 5, handlers: ['mail'] });
    expect(
      withLocalDefinition(request, { command: 'local', standalone: true, interval: 60, handlers: ['page'] }),
    ).toEqual({
      ...request,
      command: 'local',
      standalone: true,
      interval: 60,
      handlers: ['page'],
    });
    expect(withLocalDefinition(request, undefined)).toBe(request);
  });

  test('that safe mode refuses is answered without running it, and nobody is alerted', async () => {
    const { runner, finished } = aBench();
    runner.refuse(aRequest({ command: 'rm -rf /' }));
    expect(await finished(1)).toEqual([
      {
        name: 'disk',
        issued: START_SECONDS - 1,
        command: 'rm -rf /',
        executed: START_SECONDS,
        duration: 0,
        output: 'Check is not locally defined (safe mode)',
        status: 3,
        handle: false,
      },
    ]);
  });
});
