import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test, vi } from 'vitest';
import type { CheckRequest } from '../../shared/schemas/agent.ts';
import { AgentBackend } from '../support/agent-backend.ts';
import { startAgent } from '../support/start-agent.ts';
import { tempDir } from '../support/temp-dir.ts';

type Check = Readonly<Record<string, unknown>>;

interface RequestLine {
  readonly case: string;
  readonly observe: 'check request -> result';
  readonly data: {
    readonly subscription: string;
    readonly request: CheckRequest;
    readonly published: readonly { readonly payload: { readonly check: Check } }[];
  };
}

interface LogLine {
  readonly case: string;
  readonly observe: 'log:client';
  readonly data: readonly [{ readonly level: string; readonly message: string }];
}

const lines = (await readFile('test/conformance/data/client_requests.jsonl', 'utf8'))
  .trim()
  .split('\n')
  .map((text) => JSON.parse(text) as RequestLine | LogLine);

/**
 * The client of the recording. Its input sockets use any free port; the recorded ports are compared only by their type.
 */
const CLIENT = {
  name: 'golden-client',
  address: '127.0.0.1',
  subscriptions: ['base', 'roundrobin:rr'],
  environment: 'production',
  password: 's3cret',
  mysql: { port: 3306, password: 'pw' },
  empty: '',
  tags: ['a', 'b'],
  socket: { bind: '127.0.0.1', port: 0 },
  http_socket: { bind: '127.0.0.1', port: 0, user: 'huser', password: 'hpass' },
};

const CHECKS = {
  local_check: { command: 'echo local :::name:::', interval: 60, subscribers: ['base'], local: 'yes' },
};

/** Lines for which the correct result differs from the recorded one, by line number, with the reason. */
const DIFFERENCES: Readonly<Record<number, { readonly because: string; readonly check: (recorded: Check) => Check }>> =
  {
    10: {
      because: 'what was printed until the timeout is kept',
      check: (recorded) => ({ ...recorded, output: 'Execution timed out\npartial\n' }),
    },
    20: ourUnmatchedText('nope, a.b.c'),
    22: ourUnmatchedText('missing'),
    23: ourUnmatchedText('mysql'),
    28: hooksAsWritten(),
    29: hooksAsWritten(),
    30: hooksAsWritten(),
    31: hooksAsWritten(),
    34: {
      because: 'completion 1.12: a token without a match in a hook is the failure of the hook and not of the check',
      check: ({ handle: _handle, ...recorded }) => ({
        ...recorded,
        hooks: {
          critical: {
            command: 'echo :::nope:::',
            executed: 0,
            output: 'Unmatched check token(s): nope',
            status: 3,
          },
        },
        duration: 0,
        output: '',
        status: 2,
      }),
    },
  };

function ourUnmatchedText(tokens: string) {
  return {
    because: 'completion, Decisions: the text for tokens without a match',
    check: (recorded: Check): Check => ({ ...recorded, output: `Unmatched check token(s): ${tokens}` }),
  };
}

function hooksAsWritten() {
  return {
    because: 'completion 1.12: hooks are published as they were written',
    check: (recorded: Check): Check =>
      JSON.parse(
        JSON.stringify(recorded).replace('hook-crit golden-client; exit 1', 'hook-crit :::name:::; exit 1'),
      ) as Check,
  };
}

/** Names of attributes that are compared only by type, wherever they occur. */
const CHANGING: ReadonlySet<string> = new Set(['issued', 'executed', 'duration', 'port']);

/**
 * Returns a copy of the value in which everything that differs between runs is replaced, also in JSON that a command
 * has read and printed.
 */
function withoutVolatileParts(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value), (name, item: unknown) => {
    if (CHANGING.has(name) && typeof item === 'number') return 0;
    return name === 'output' && typeof item === 'string' && item.startsWith('{"')
      ? withoutVolatileParts(JSON.parse(item))
      : item;
  });
}

interface Scene {
  readonly backend: AgentBackend;
  readonly agent: ReturnType<typeof startAgent>;
}

async function aScene(): Promise<Scene> {
  const dir = await tempDir();
  const [stateDir, confDir] = [join(dir, 'state'), join(dir, 'conf.d')];
  await mkdir(confDir);
  await writeFile(join(confDir, 'client.json'), JSON.stringify({ client: CLIENT, checks: CHECKS }));
  const backend = await AgentBackend.open();
  const agent = startAgent(['start', '--backend', backend.url, '--state-dir', stateDir, '-d', confDir]);
  await vi.waitFor(() => expect(backend.keepalives).toHaveLength(1));
  return { backend, agent };
}

/** Sends a check request as a backend does: only to agents that have the subscription. */
function ask({ backend }: Scene, { subscription, request }: RequestLine['data']): void {
  const { subscriptions } = backend.keepalives[0] as { subscriptions: readonly string[] };
  if (subscriptions.includes(subscription)) backend.request({ ...request, issued: Math.floor(Date.now() / 1000) });
}

test('mon-agent responds to every request as sensu-client 1.x was recorded to, except for documented deviations', async () => {
  const scene = await aScene();
  const requests = lines.flatMap((line, index) => (line.observe === 'log:client' ? [] : [{ line, number: index + 1 }]));
  for (const { line } of requests) ask(scene, line.data);
  // The recording contains a second request for this check while its first run is in progress.
  for (const { line } of requests) if (line.data.request.name === 'dup') ask(scene, line.data);

  const expected = requests.flatMap(({ line, number }) =>
    line.data.published.map(({ payload: { check } }) => DIFFERENCES[number]?.check(check) ?? check),
  );
  await vi.waitFor(() => expect(scene.backend.committed).toHaveLength(expected.length));
  for (const check of expected) {
    const [answer, ...others] = scene.backend.results(String(check['name']));
    expect(withoutVolatileParts(answer)).toEqual(withoutVolatileParts(check));
    expect(others).toEqual([]);
  }
});

test('mon-agent logs the same messages as sensu-client 1.x was recorded to log', async () => {
  const scene = await aScene();
  const recorded = lines.filter((line) => line.observe === 'log:client');
  const logged = new Map(recorded.map((line) => [line.case, line.data[0]]));

  scene.backend.request({ name: 'noext', issued: 1 });
  scene.backend.request({ name: 'dup', command: 'sleep 1; echo done', issued: 1 });
  scene.backend.request({ name: 'dup', command: 'sleep 1; echo done', issued: 1 });
  const { agent } = scene;
  await vi.waitFor(() => {
    const warnings = agent.records.filter(({ level }) => level === 'warn').map(({ message }) => message);
    expect(warnings).toEqual([
      logged.get('unknown extension')?.message,
      logged.get('same check twice while running')?.message,
    ]);
  });

  // Sensu Core logs the raw text and continues. The agent of `mon` disconnects from a backend that violates the
  // protocol.
  expect(logged.get('malformed request')?.message).toBe('{bad');
  scene.backend.sendText('{bad');
  await vi.waitFor(() => {
    expect(agent.records.at(-1)).toMatchObject({
      level: 'warn',
      message: 'not connected to the backend',
      reason: 'the backend sent a frame that is not part of the agent protocol',
    });
  });
});

test('the test replays every line of the recording of sensu-client', () => {
  expect(lines.map(({ observe }) => observe).filter((observe) => observe === 'log:client')).toHaveLength(3);
  expect(lines).toHaveLength(47);
});
