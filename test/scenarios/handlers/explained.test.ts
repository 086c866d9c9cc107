import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { VerdictKind } from '../../../shared/schemas/explain.ts';
import { freePort } from '../../../scripts/lib/free-port.ts';
import { runMonctl } from '../../support/run-monctl.ts';
import { HandlerScenario } from '../../support/handler-scenario.ts';

const SETTINGS = {
  handlers: {
    mail: {},
    pager: { severities: ['critical'] },
    calm: { filter: 'occurrences' },
    desk: { filters: ['nowhere', 'production'] },
    audit: { handle_silenced: true },
    odd: { mutator: 'nobody' },
    inner: { type: 'set', handlers: ['mail'] },
    outer: { type: 'set', handlers: ['inner', 'pager'] },
    deep: { type: 'set', handlers: ['outer'] },
  },
  filters: { production: { attributes: { client: { environment: 'production' } } } },
};
const HANDLERS = ['mail', 'pager', 'calm', 'desk', 'audit', 'odd', 'deep', 'nobody'];
/** The handlers that write their input to a file. */
const WRITERS = ['mail', 'pager', 'calm', 'desk', 'audit'];

type Verdicts = Record<string, VerdictKind>;

const verdictsOf = (handlers: readonly { readonly handler: string; readonly verdict: string }[]): object =>
  Object.fromEntries(handlers.map(({ handler, verdict }) => [handler, verdict]));

describe('the explanation of a missing notification', () => {
  const check = { handlers: HANDLERS, occurrences: 2 };
  const ALIKE: Verdicts = { inner: 'nested_set', nobody: 'unknown_handler', desk: 'filtered' };

  interface Case {
    readonly title: string;
    readonly before?: (scenario: HandlerScenario) => Promise<unknown>;
    readonly result: { readonly status: number } & Readonly<Record<string, unknown>>;
    readonly verdicts: Verdicts;
  }

  test.each<Case>([
    {
      title: 'a warning event',
      result: { status: 1, ...check },
      verdicts: {
        ...ALIKE,
        mail: 'handle',
        pager: 'severity',
        calm: 'filtered',
        audit: 'handle',
        odd: 'unknown_mutator',
      },
    },
    {
      title: 'the second occurrence of a critical event',
      before: (scenario) => scenario.report(2, check),
      result: { status: 2, ...check },
      verdicts: { ...ALIKE, mail: 'handle', pager: 'handle', calm: 'handle', audit: 'handle', odd: 'unknown_mutator' },
    },
    {
      title: 'a silenced event',
      before: (scenario) => scenario.api.silence({ check: 'disk' }),
      result: { status: 2, ...check },
      verdicts: {
        ...ALIKE,
        mail: 'silenced',
        pager: 'silenced',
        calm: 'silenced',
        desk: 'silenced',
        audit: 'handle',
        odd: 'silenced',
      },
    },
    {
      title: 'a result with handle: false',
      result: { status: 2, ...check, handle: false },
      verdicts: {
        ...ALIKE,
        mail: 'disabled',
        pager: 'disabled',
        calm: 'disabled',
        desk: 'disabled',
        audit: 'disabled',
        odd: 'disabled',
      },
    },
  ])('simulation, explanation and real handling agree for $title', async ({ before, result, verdicts }) => {
    const scenario = await HandlerScenario.open(SETTINGS);
    await before?.(scenario);
    for (const name of WRITERS) await scenario.lines(name);
    const { status, ...attributes } = result;

    const simulated = await scenario.api.simulate({ source: 'web-1', name: 'disk', output: 'x', ...result });
    expect(verdictsOf(simulated.handlers)).toEqual(verdicts);
    // The explanation must not run a handler.
    for (const name of WRITERS) expect(await scenario.lines(name)).toEqual([]);

    await scenario.report(status, attributes);
    const explained = await scenario.api.explainEvent('web-1', 'disk');
    expect(verdictsOf(explained?.handlers ?? [])).toEqual(verdicts);
    for (const name of WRITERS) {
      expect({ name, runs: (await scenario.lines(name)).length }).toEqual({
        name,
        runs: verdicts[name] === 'handle' ? 1 : 0,
      });
    }
  });

  test('the explanation names the silences, the filter, the deciding attribute and the outcome of the last run', async () => {
    const scenario = await HandlerScenario.open({
      ...SETTINGS,
      handlers: { ...SETTINGS.handlers, down: { type: 'tcp', socket: { host: '127.0.0.1', port: await freePort() } } },
    });
    await scenario.report(2, { handlers: ['mail', 'desk', 'down', 'odd'] });
    await scenario.settled();
    await scenario.api.silence({ check: 'disk' });
    const explained = await scenario.api.explainEvent('web-1', 'disk');
    expect(explained).toMatchObject({
      client: 'web-1',
      check: 'disk',
      event: { status: 2, action: 'create', occurrences: 1, silenced_by: ['*:disk'] },
      handlers: [
        {
          handler: 'mail',
          verdict: 'silenced',
          silenced_by: ['*:disk'],
          delivery: { state: 'delivered', attempts: 1, at: scenario.now },
        },
        { handler: 'desk', verdict: 'silenced', delivery: null },
        { handler: 'down', verdict: 'silenced', delivery: { state: 'failed', reason: 'the connection was refused' } },
        { handler: 'odd', delivery: { state: 'failed', reason: expect.stringContaining('unknown mutator') as string } },
      ],
    });
    await scenario.api.clearSilenced({ check: 'disk' });
    expect((await scenario.api.explainEvent('web-1', 'disk'))?.handlers[1]).toMatchObject({
      verdict: 'filtered',
      filter: 'production',
      attribute: 'client.environment',
      defects: [{ filter: 'nowhere', problem: 'unknown filter' }],
    });
  });

  test('the explanation of a check says that the check has no event, and an unknown check has no explanation', async () => {
    const scenario = await HandlerScenario.open(SETTINGS);
    await scenario.report(0, { handlers: ['mail'] });
    expect(await scenario.api.explainEvent('web-1', 'disk')).toMatchObject({
      event: null,
      reason: 'there is no event: its last result is OK',
      handlers: [{ handler: 'mail', verdict: 'no_event' }],
    });
    expect(await scenario.api.explainEvent('web-1', 'nope')).toBeUndefined();
  });

  test('monctl event explain and monctl simulate show the verdict of each handler', async () => {
    const scenario = await HandlerScenario.open(SETTINGS);
    await scenario.api.silence({ check: 'disk', reason: 'new disk' });
    await scenario.report(2, { handlers: ['mail', 'audit'] });
    await scenario.settled();
    const explained = await runMonctl(['event', 'explain', 'web-1', 'disk', '--backend', scenario.url]);
    expect(explained).toMatchObject({ code: 0, stderr: '' });
    expect(explained.stdout).toMatch(/^mail +silenced .*silenced by \*:disk/m);
    expect(explained.stdout).toMatch(/^audit +handle +delivered/m);

    const file = join(scenario.dir, 'result.json');
    await writeFile(
      file,
      JSON.stringify({ source: 'web-1', name: 'disk', output: '', status: 0, handlers: ['mail', 'audit'] }),
    );
    const simulated = await runMonctl(['simulate', file, '--backend', scenario.url]);
    expect(simulated).toMatchObject({ code: 0, stderr: '' });
    expect(simulated.stdout).toMatch(/^mail +silenced/m);
    expect(simulated.stdout).toMatch(/^audit +handle/m);
    expect(await scenario.api.events()).toHaveLength(1);
  });
});

test('a simulation creates no client, result, event, notification or registration', async () => {
  const scenario = await HandlerScenario.open({ handlers: { default: {}, registration: {} } });
  await scenario.api.simulate({ source: 'new-1', name: 'disk', output: '', status: 2 });
  expect(await scenario.api.clients()).toEqual([]);
  expect(await scenario.api.results()).toEqual([]);
  expect(await scenario.api.events()).toEqual([]);
  expect([...(await scenario.lines()), ...(await scenario.lines('registration'))]).toEqual([]);
});
