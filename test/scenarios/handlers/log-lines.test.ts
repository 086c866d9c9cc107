import { expect, test } from 'vitest';
import { freePort } from '../../../scripts/lib/free-port.ts';
import { HandlerScenario } from '../../support/handler-scenario.ts';

const ABOUT = { client: 'web-1', check: 'disk' };

/**
 * The exact log records that a backend writes when it handles one result (completion 1.8 and 1.9; legacy-peer, State
 * machine).
 */
test.each<{
  readonly message: string;
  readonly level: 'info' | 'error';
  readonly settings: Parameters<typeof HandlerScenario.open>[0];
  readonly result?: Readonly<Record<string, unknown>>;
  readonly silenced?: true;
  readonly fields?: Readonly<Record<string, unknown>>;
}>([
  {
    message: 'event handling disabled for event',
    level: 'info',
    settings: { handlers: { default: {} } },
    result: { handle: false },
  },
  {
    message: 'handler does not handle event severity',
    level: 'info',
    settings: { handlers: { default: { severities: ['ok'] } } },
    fields: { handler: 'default', status: 2 },
  },
  {
    message: 'handler is silenced',
    level: 'info',
    settings: { handlers: { default: {} } },
    silenced: true,
    fields: { handler: 'default', silenced_by: ['*:disk'] },
  },
  {
    message: 'event was filtered',
    level: 'info',
    settings: { handlers: { default: { filter: 'never' } }, filters: { never: { attributes: { action: 'never' } } } },
    fields: { handler: 'default', filter: 'never' },
  },
  {
    message: 'unknown filter',
    level: 'error',
    settings: { handlers: { default: { filter: 'never' } } },
    fields: { filter: 'never' },
  },
  { message: 'unknown handler', level: 'error', settings: {}, fields: { handler: 'default' } },
  {
    message: 'handler sets cannot be deeply nested',
    level: 'error',
    settings: {
      handlers: {
        default: { type: 'set', handlers: ['a'] },
        a: { type: 'set', handlers: ['b'] },
        b: { type: 'set', handlers: ['c'] },
        c: {},
      },
    },
    fields: { handler: 'b' },
  },
  {
    message: 'unknown mutator',
    level: 'error',
    settings: { handlers: { default: { mutator: 'nobody' } } },
    fields: { mutator: 'nobody' },
  },
  {
    message: 'mutator error',
    level: 'error',
    settings: { handlers: { default: { mutator: 'boom' } }, mutators: { boom: { command: 'echo boom; exit 1' } } },
    fields: { mutator: 'boom', output: 'boom\n' },
  },
  {
    message: 'handler output',
    level: 'info',
    settings: { handlers: { default: { type: 'pipe', command: 'cat >/dev/null; echo sent' } } },
    fields: { handler: 'default', output: 'sent\n', status: 0 },
  },
  {
    message: 'handler output',
    level: 'error',
    settings: { handlers: { default: { type: 'pipe', command: 'cat >/dev/null; echo boom; exit 2' } } },
    fields: { handler: 'default', output: 'boom\n', status: 2 },
  },
  {
    message: 'handler output',
    level: 'error',
    settings: { handlers: { default: { type: 'pipe', command: 'no-such-command-here' } } },
    fields: { handler: 'default', status: 127 },
  },
  {
    message: 'handler error',
    level: 'error',
    settings: { handlers: { default: { type: 'tcp', socket: { host: '127.0.0.1', port: await freePort() } } } },
    fields: { handler: 'default', reason: 'the connection was refused' },
  },
])(
  'the log has a record of level $level with the message "$message" and its fields',
  async ({ message, level, settings, result, silenced, fields = {} }) => {
    const scenario = await HandlerScenario.open(settings);
    await scenario.api.saveClient({ name: 'web-1', address: '192.0.2.1', password: 'hunter2' });
    if (silenced) await scenario.api.silence({ check: 'disk' });
    await scenario.report(2, result);
    await scenario.settled();
    const records = scenario.logRecords(message);
    expect(records).toMatchObject([{ level, message, fields: { ...ABOUT, ...fields } }]);
    // The log must not contain the secrets of clients (security S16 and S17).
    expect(JSON.stringify(scenario.log.records)).not.toContain('hunter2');
    expect(records[0]?.fields).not.toHaveProperty('event');
  },
);

test('the log says at level info which action a handler does not handle', async () => {
  const scenario = await HandlerScenario.open();
  for (let at = 0; at < 21; at++) {
    await scenario.report(at % 2 === 0 ? 0 : 2, { low_flap_threshold: 5, high_flap_threshold: 20 });
  }
  expect(scenario.logRecords('handler does not handle action')).toMatchObject([
    { level: 'info', fields: { ...ABOUT, handler: 'default', action: 'flapping' } },
  ]);
});

test('the log contains the output of the built-in handler debug without secrets', async () => {
  const scenario = await HandlerScenario.open({});
  await scenario.api.saveClient({ name: 'web-1', address: '192.0.2.1', password: 'hunter2' });
  await scenario.report(2, { handler: 'debug' });
  await scenario.settled();
  const [record, ...others] = scenario.logRecords('handler extension output');
  expect(others).toEqual([]);
  expect(record).toMatchObject({ level: 'info', fields: { ...ABOUT, handler: 'debug' } });
  expect(JSON.parse(String(record?.fields['output']))).toMatchObject({ client: { password: 'REDACTED' } });
});
