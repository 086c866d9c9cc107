import { access, readFile } from 'node:fs/promises';
import { once } from 'node:events';
import { createServer, type AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test, vi } from 'vitest';
import { withLocalDefinition } from '../../../daemon/agent/local-definition.ts';
import { openCheckRunner, type CheckRunner } from '../../../daemon/agent/run-check.ts';
import { excessOfResult } from '../../../shared/domain/attribute-limits.ts';
import type { CheckRequest } from '../../../shared/schemas/agent.ts';
import { ATTRIBUTE_LIMITS } from '../../../shared/schemas/fixed-limits.ts';
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
  /** Waits until this number of runs has finished, and returns their results. */
  readonly finished: (count: number) => Promise<SubmittedResult[]>;
}

/** The value of a client attribute that attempts a shell injection. */
const EVIL = '\'; id; $(id) `id` " \n& x';

const CLIENT = {
  name: 'web1',
  address: '10.0.0.1',
  subscriptions: ['web', 'client:web1'],
  disk: { warning: 80 },
  password: 's3cret',
  evil: EVIL,
};

const ENTITY = {
  name: 'web1',
  labels: { region: 'eu west', 'a-b': '7', danger: '{{ .name }} :::name:::' },
  system: { hostname: 'web1.example.org' },
};

function aBench(runningMax?: number): Bench {
  const clock = new ManualClock();
  const log = new RecordedLog();
  const results: SubmittedResult[] = [];
  const deliver = async (result: SubmittedResult): Promise<void> => {
    results.push(await Promise.resolve(result));
  };
  const runner = openCheckRunner({ client: CLIENT, entity: ENTITY, clock, log, deliver, runningMax });
  onTestFinished(async () => {
    const stopped = runner.stop(0);
    clock.advance(0);
    await stopped;
  });
  const finished = async (count: number): Promise<SubmittedResult[]> =>
    await vi.waitFor(() => {
      expect(results).toHaveLength(count);
      return results;
    });
  return { clock, log, results, runner, finished };
}

const fail = async (): Promise<void> => await Promise.reject(new Error('disk full'));

const aRequest = (request: Partial<CheckRequest>): CheckRequest => ({
  name: 'disk',
  issued: START_SECONDS - 1,
  ...request,
});

describe('the result of a check run', () => {
  test('the result of a check contains the attributes of the check request, the output and the status', async () => {
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

  test('the result of a check contains the duration in seconds with three decimals', async () => {
    const { clock, runner, finished } = aBench();
    runner.start(aRequest({ command: 'exec sleep 0.05' }));
    clock.advance(1234.5678);
    expect(await finished(1)).toMatchObject([{ duration: 1.235 }]);
  });

  test('the result of a check that timed out is critical and contains the output until then', async () => {
    const { clock, runner, finished } = aBench();
    const started = join(await tempDir(), 'started');
    runner.start(aRequest({ command: `echo partial; touch ${started}; sleep 600`, timeout: 0.5 }));
    await vi.waitFor(() => access(started));
    clock.advance(500);
    expect(await finished(1)).toMatchObject([{ status: 2, output: 'Execution timed out\npartial\n', duration: 0.5 }]);
  });

  test('the result of a command that could not be started has the status unknown', async () => {
    const { runner, finished } = aBench();
    runner.start(aRequest({ command: 'true \0' }));
    expect(await finished(1)).toMatchObject([{ status: 3, output: expect.stringMatching(/^Unexpected error: ./) }]);
  });

  test('the backend accepts the result of a check as valid', async () => {
    const { runner, finished } = aBench();
    runner.start(aRequest({ command: 'true', interval: 60, ttl: 120, source: 'switch-1' }));
    const [result] = await finished(1);
    expect(resultSchema.safeParse(result).success).toBe(true);
  });
});

describe('a check that is still running', () => {
  test('a check that is still running is not started a second time', async () => {
    const { log, runner, finished, results } = aBench();
    runner.start(aRequest({ command: 'sleep 0.1; echo first' }));
    runner.start(aRequest({ command: 'echo second' }));
    expect(log.messages('warn')).toEqual(['previous check command execution in progress']);
    await finished(1);
    expect(results).toMatchObject([{ output: 'first\n' }]);
  });

  test('the same check may run for several sources at the same time', async () => {
    const { log, runner, finished } = aBench();
    runner.start(aRequest({ command: 'sleep 0.05' }));
    runner.start(aRequest({ command: 'sleep 0.05', source: 'switch-1' }));
    runner.start(aRequest({ command: 'sleep 0.05', source: 'switch-2' }));
    await finished(3);
    expect(log.messages('warn')).toEqual([]);
  });

  test('a check may be started again after its run has ended', async () => {
    const { runner, finished, results } = aBench();
    runner.start(aRequest({ command: 'true' }));
    await finished(1);
    await vi.waitFor(() => {
      runner.start(aRequest({ command: 'true' }));
      expect(results).toHaveLength(2);
    });
  });
});

test('twelve checks run concurrently by default, and further checks wait', async () => {
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

test('the setting max-checks limits the number of checks that run concurrently', async () => {
  const { clock, runner, finished } = aBench(1);
  runner.start(aRequest({ name: 'first', command: 'sleep 600', timeout: 5 }));
  runner.start(aRequest({ name: 'second', command: 'echo $$' }));
  clock.advance(5000);
  expect(await finished(2)).toMatchObject([{ name: 'first' }, { name: 'second' }]);
});

describe('tokens', () => {
  test('tokens are substituted in the command that runs, but not in the command of the result', async () => {
    const { runner, finished } = aBench();
    const command = 'echo :::name::: :::disk.warning::: :::password::: :::subscriptions::: ":::none|x|y:::"';
    runner.start(aRequest({ command }));
    expect(await finished(1)).toMatchObject([
      { command, output: 'web1 80 s3cret [web, client:web1] x|y\n', status: 0 },
    ]);
  });

  test('tokens in a list of arguments become neither several arguments nor shell syntax', async () => {
    const { runner, finished } = aBench();
    const command = ['printf', '<%s>', ':::evil:::', '--name=:::name:::', '{{ .labels.danger }}', ':::none|x  y:::'];
    const hook = { command: ['printf', '(%s)', ':::evil:::'] };
    runner.start(aRequest({ command, hooks: { ok: hook }, entity_tokens: true }));
    const [result] = await finished(1);
    expect(result).toMatchObject({
      command,
      output: `<${EVIL}><--name=web1><{{ .name }} :::name:::><x  y>`,
      status: 0,
      hooks: { ok: { ...hook, output: `(${EVIL})`, status: 0 } },
    });
  });

  test('tokens are substituted as text in all other attributes of a check, at any depth', async () => {
    const { runner, finished } = aBench();
    runner.start(
      aRequest({ command: 'true', note: ':::disk.warning:::', deep: [{ of: ':::name:::' }], source: ':::name:::-nas' }),
    );
    expect(await finished(1)).toMatchObject([{ note: '80', deep: [{ of: 'web1' }], source: 'web1-nas' }]);
  });

  test('a check with unmatched tokens does not run, and its result notifies no handler', async () => {
    const { runner, finished } = aBench();
    const file = join(await tempDir(), 'file');
    const command = `touch ${file}; echo :::a.b::: :::disk:::`;
    runner.start(aRequest({ command, note: ':::c::: :::a.b:::' }));
    const [result] = await finished(1);
    expect(result).toEqual({
      name: 'disk',
      issued: START_SECONDS - 1,
      command,
      note: ' ',
      executed: START_SECONDS,
      output: 'Unmatched check token(s): a.b, disk, c',
      status: 3,
      handle: false,
    });
    await expect(access(file)).rejects.toThrow('ENOENT');
  });

  test('v2 tokens are substituted only in checks that the v2 API defines', async () => {
    const { runner, finished } = aBench();
    const command =
      'echo "{{ .labels.region | default `x` }} {{ index .labels `a-b` }} {{ .system.hostname }} :::name:::"';
    runner.start(aRequest({ name: 'new', command, entity_tokens: true }));
    const [result] = await finished(1);
    expect(result).toMatchObject({ command, output: 'eu west 7 web1.example.org web1\n', status: 0 });
    expect(result).not.toHaveProperty('entity_tokens');
    runner.start(aRequest({ name: 'old', command: "echo '{{.Names}}'" }));
    expect(await finished(2)).toContainEqual(expect.objectContaining({ name: 'old', output: '{{.Names}}\n' }));
  });

  test('a check with an unmatched v2 token does not run', async () => {
    const { runner, finished } = aBench();
    runner.start(aRequest({ command: 'echo {{ .labels.zone }}', entity_tokens: true }));
    expect(await finished(1)).toMatchObject([
      {
        output: 'unmatched token: {{ .labels.zone }} has no value: set it, or add | default "..."',
        status: 3,
        handle: false,
      },
    ]);
  });

  test('v2 tokens are not substituted in a check with a local definition', async () => {
    const { runner, finished } = aBench();
    const asked = aRequest({ command: 'echo {{ .name }}', entity_tokens: true });
    runner.start(withLocalDefinition(asked, { command: "echo '{{.Names}}'" }));
    expect(await finished(1)).toMatchObject([{ output: '{{.Names}}\n' }]);
  });
});

test('a check command has the env_vars of its check with tokens substituted, but the result keeps the tokens', async () => {
  const { runner, finished } = aBench();
  const env_vars = ['LIMIT=:::disk.warning:::', 'NOTE=a=b'];
  runner.start(aRequest({ command: 'echo "$LIMIT $NOTE ${PATH:+path}"', env_vars }));
  expect(await finished(1)).toMatchObject([{ output: '80 a=b path\n', status: 0, env_vars }]);
});

describe('a check with stdin', () => {
  test('a check with stdin: true reads the client with its secrets and the check from standard input', async () => {
    const { runner, finished } = aBench();
    runner.start(aRequest({ command: 'cat', stdin: true, note: ':::name:::' }));
    const [result] = await finished(1);
    expect(JSON.parse(result?.output ?? '')).toEqual({
      client: CLIENT,
      check: {
        name: 'disk',
        issued: START_SECONDS - 1,
        command: 'cat',
        stdin: true,
        note: 'web1',
        executed: START_SECONDS,
      },
    });
  });

  test.each([false, undefined, 'true'])('a check with stdin: %j reads an empty standard input', async (stdin) => {
    const { runner, finished } = aBench();
    runner.start(aRequest({ command: 'cat; echo end', stdin }));
    expect(await finished(1)).toMatchObject([{ output: 'end\n' }]);
  });
});

describe('a hook', () => {
  const hooks = {
    '2': { command: 'echo of two' },
    critical: { command: 'echo of critical' },
    'non-zero': { command: 'echo of all but zero; exit 7' },
    ok: { command: 'echo of ok' },
  };

  test.each<{ status: number; name: keyof typeof hooks; output: string; hookStatus: number }>([
    { status: 0, name: 'ok', output: 'of ok\n', hookStatus: 0 },
    { status: 1, name: 'non-zero', output: 'of all but zero\n', hookStatus: 7 },
    { status: 2, name: '2', output: 'of two\n', hookStatus: 0 },
    { status: 127, name: 'non-zero', output: 'of all but zero\n', hookStatus: 7 },
  ])('the hook "$name" of a check runs after the status $status', async ({ status, name, output, hookStatus }) => {
    const { runner, finished } = aBench();
    runner.start(aRequest({ command: `echo out; exit ${String(status)}`, hooks }));
    const [result] = await finished(1);
    expect(result).toMatchObject({ output: 'out\n', status });
    expect(result?.['hooks']).toEqual({
      ...hooks,
      [name]: { ...hooks[name], executed: START_SECONDS, duration: 0, output, status: hookStatus },
    });
  });

  test('tokens are substituted in the command of a hook only', async () => {
    const { runner, finished } = aBench();
    const ok = { command: 'echo :::password:::' };
    runner.start(aRequest({ command: 'true', hooks: { ok } }));
    const [result] = await finished(1);
    expect(result?.['hooks']).toMatchObject({ ok: { ...ok, output: 's3cret\n', status: 0 } });
  });

  test.each([
    { name: 'much text', command: 'yes | head -c 1000000', begins: 'y\ny\n' },
    { name: 'characters that JSON escapes', command: 'head -c 1000000 /dev/zero', begins: '\0\0' },
    { name: 'bytes that are not text', command: "yes | tr y '\\377' | head -c 1000000", begins: '' },
  ])(
    'the output of a hook that prints $name is truncated, so that a backend accepts the result',
    async ({ command, begins }) => {
      const { runner, finished } = aBench();
      runner.start(aRequest({ command: 'exit 2', hooks: { critical: { command } } }));
      const [result = {}] = await finished(1);
      expect(excessOfResult(result, ATTRIBUTE_LIMITS)).toBeUndefined();
      const { output } = (result as { hooks: { critical: { output: string } } }).hooks.critical;
      expect(output.startsWith(begins)).toBe(true);
      expect(output).toMatch(/\n\.\.\. output truncated after 32 KiB$/);
    },
  );

  test('a hook with an unmatched token fails, but its check does not', async () => {
    const { runner, finished } = aBench();
    runner.start(aRequest({ command: 'echo fine', hooks: { ok: { command: 'echo :::none:::' } } }));
    expect(await finished(1)).toEqual([
      expect.objectContaining({
        output: 'fine\n',
        status: 0,
        hooks: {
          ok: {
            command: 'echo :::none:::',
            executed: START_SECONDS,
            output: 'Unmatched check token(s): none',
            status: 3,
          },
        },
      }),
    ]);
  });

  test.each<{ name: string; hook: object; seconds: number }>([
    { name: 'its timeout', hook: { timeout: 2.5 }, seconds: 2.5 },
    { name: 'a minute by default', hook: {}, seconds: 60 },
  ])('a hook that runs too long is killed after $name', async ({ hook, seconds }) => {
    const { clock, runner, finished } = aBench();
    const started = join(await tempDir(), 'started');
    const command = `touch ${started}; sleep 600`;
    runner.start(aRequest({ command: 'true', hooks: { ok: { ...hook, command } } }));
    await vi.waitFor(() => access(started));
    clock.advance(seconds * 1000);
    const [result] = await finished(1);
    expect(result).toMatchObject({
      status: 0,
      duration: 0,
      hooks: { ok: { output: 'Execution timed out', status: 2, duration: seconds } },
    });
  });

  test('a hook with stdin: true reads the client and the result from standard input', async () => {
    const { runner, finished } = aBench();
    runner.start(aRequest({ command: 'echo out', hooks: { ok: { command: 'cat', stdin: true } } }));
    const [result] = await finished(1);
    const found = result?.['hooks'] as { ok: { output: string } } | undefined;
    expect(JSON.parse(found?.ok.output ?? '')).toMatchObject({
      client: CLIENT,
      check: { name: 'disk', output: 'out\n', status: 0, hooks: { ok: { executed: START_SECONDS } } },
    });
  });

  test('a result is delivered even if its hook is killed when the agent stops', async () => {
    const { clock, runner, results } = aBench();
    const started = join(await tempDir(), 'started');
    runner.start(aRequest({ command: 'echo out', hooks: { ok: { command: `touch ${started}; sleep 600` } } }));
    await vi.waitFor(() => access(started));
    const stopped = runner.stop(0);
    clock.advance(0);
    await stopped;
    expect(results).toMatchObject([{ output: 'out\n', status: 0 }]);
  });
});

describe('a built-in check', () => {
  test('a built-in check runs with its tokens substituted, but its result keeps the tokens', async () => {
    const { runner, finished } = aBench();
    const request = aRequest({ extension: 'disk', disk: { path: '/', warning: ':::disk.warning:::', critical: 101 } });
    runner.start({ ...request, name: 'root' });
    const [result] = await finished(1);
    expect(result).toMatchObject({ ...request, name: 'root', output: expect.stringMatching(/^DISK .*at 80%.*\n$/) });
  });

  test('a check without command and extension runs the built-in check with the name of the check', async () => {
    const { runner, finished } = aBench();
    runner.start(aRequest({ name: 'load' }));
    expect(await finished(1)).toMatchObject([{ output: expect.stringMatching(/^LOAD /) }]);
  });

  test('a command in a check overrides the built-in check of the same name', async () => {
    const { runner, finished } = aBench();
    runner.start(aRequest({ command: 'echo command', extension: 'load' }));
    expect(await finished(1)).toMatchObject([{ output: 'command\n' }]);
  });

  test('a built-in check is stopped at the timeout of its check', async () => {
    const { clock, runner, finished } = aBench();
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    onTestFinished(() => void server.close());
    const { port } = server.address() as AddressInfo;
    const accepted = once(server, 'connection');
    runner.start(aRequest({ extension: 'tcp', tcp: { port, expect: 'never' }, timeout: 2 }));
    await accepted;
    clock.advance(2000);
    expect(await finished(1)).toMatchObject([{ output: 'Execution timed out', status: 2, duration: 2 }]);
  });

  test('a check that names an unknown built-in check is logged and produces no result', () => {
    const { log, runner } = aBench();
    runner.start(aRequest({ extension: 'system_profile' }));
    expect(log.messages('warn')).toEqual(['unknown check extension']);
  });
});

test('a result that cannot be spooled is logged, and its check may run again', async () => {
  const log = new RecordedLog();
  const runner = openCheckRunner({ client: CLIENT, entity: ENTITY, clock: new ManualClock(), log, deliver: fail });
  runner.start(aRequest({ command: 'true' }));
  await vi.waitFor(() =>
    expect(log.messages('error')).toEqual(['check result lost: it could not be written to the spool']),
  );
  await vi.waitFor(() => {
    runner.start(aRequest({ command: 'true' }));
    expect(log.messages('error')).toHaveLength(2);
  });
  await runner.stop(0);
});

describe('a stopping agent', () => {
  test('a stopping agent waits for running checks and starts no others', async () => {
    const { runner, results, log } = aBench();
    runner.start(aRequest({ command: 'sleep 0.1; echo done' }));
    const stopped = runner.stop(10_000);
    runner.start(aRequest({ name: 'late', command: 'true' }));
    await stopped;
    expect(results).toMatchObject([{ output: 'done\n' }]);
    expect(log.messages('warn')).toEqual(['the agent is stopping']);
  });

  test('a stopping agent kills checks after its timeout and sends no results of them', async () => {
    const { clock, runner, results, log } = aBench();
    runner.start(aRequest({ command: 'sleep 600' }));
    const stopped = runner.stop(10_000);
    clock.advance(10_000);
    await stopped;
    expect(results).toEqual([]);
    expect(log.messages('warn')).toEqual(['check aborted without a result because the agent is stopping']);
  });
});

describe('a check request', () => {
  test('a local definition overrides the attributes of a check request, except for its name and issue time', () => {
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

  test('a check request that safe mode rejects runs no command and returns a result that notifies no handler', async () => {
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
