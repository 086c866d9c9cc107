import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { VerdictKind } from '../../../shared/schemas/explain.ts';
import { freePort } from '../../../scripts/lib/free-port.ts';
import { runMonctl } from '../../support/run-monctl.ts';
import { HandlerStory } from '../../support/handler-story.ts';

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
    readonly before?: (story: HandlerStory) => Promise<unknown>;
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
      before: (story) => story.report(2, check),
      result: { status: 2, ...check },
      verdicts: { ...ALIKE, mail: 'handle', pager: 'handle', calm: 'handle', audit: 'handle', odd: 'unknown_mutator' },
    },
    {
      title: 'a silenced event',
      before: (story) => story.api.silence({ check: 'disk' }),
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
    const story = await HandlerStory.open(SETTINGS);
    await before?.(story);
    for (const name of WRITERS) await story.lines(name);
    const { status, ...attributes } = result;

    const simulated = await story.api.simulate({ source: 'web-1', name: 'disk', output: 'x', ...result });
    expect(verdictsOf(simulated.handlers)).toEqual(verdicts);
    // The explanation must not run a handler.
    for (const name of WRITERS) expect(await story.lines(name)).toEqual([]);

    await story.report(status, attributes);
    const explained = await story.api.explainEvent('web-1', 'disk');
    expect(verdictsOf(explained?.handlers ?? [])).toEqual(verdicts);
    for (const name of WRITERS) {
      expect({ name, runs: (await story.lines(name)).length }).toEqual({
        name,
        runs: verdicts[name] === 'handle' ? 1 : 0,
      });
    }
  });

  test('the explanation names the silences, the filter, the deciding attribute and the outcome of the last run', async () => {
    const story = await HandlerStory.open({
      ...SETTINGS,
      handlers: { ...SETTINGS.handlers, down: { type: 'tcp', socket: { host: '127.0.0.1', port: await freePort() } } },
    });
    await story.report(2, { handlers: ['mail', 'desk', 'down', 'odd'] });
    await story.settled();
    await story.api.silence({ check: 'disk' });
    const explained = await story.api.explainEvent('web-1', 'disk');
    expect(explained).toMatchObject({
      client: 'web-1',
      check: 'disk',
      event: { status: 2, action: 'create', occurrences: 1, silenced_by: ['*:disk'] },
      handlers: [
        {
          handler: 'mail',
          verdict: 'silenced',
          silenced_by: ['*:disk'],
          delivery: { state: 'delivered', attempts: 1, at: story.now },
        },
        { handler: 'desk', verdict: 'silenced', delivery: null },
        { handler: 'down', verdict: 'silenced', delivery: { state: 'failed', reason: 'the connection was refused' } },
        { handler: 'odd', delivery: { state: 'failed', reason: expect.stringContaining('unknown mutator') as string } },
      ],
    });
    await story.api.clearSilenced({ check: 'disk' });
    expect((await story.api.explainEvent('web-1', 'disk'))?.handlers[1]).toMatchObject({
      verdict: 'filtered',
      filter: 'production',
      attribute: 'client.environment',
      defects: [{ filter: 'nowhere', problem: 'unknown filter' }],
    });
  });

  test('the explanation of a check says that the check has no event, and an unknown check has no explanation', async () => {
    const story = await HandlerStory.open(SETTINGS);
    await story.report(0, { handlers: ['mail'] });
    expect(await story.api.explainEvent('web-1', 'disk')).toMatchObject({
      event: null,
      reason: 'there is no event: its last result is OK',
      handlers: [{ handler: 'mail', verdict: 'no_event' }],
    });
    expect(await story.api.explainEvent('web-1', 'nope')).toBeUndefined();
  });

  test('monctl event explain and monctl simulate show the verdict of each handler', async () => {
    const story = await HandlerStory.open(SETTINGS);
    await story.api.silence({ check: 'disk', reason: 'new disk' });
    await story.report(2, { handlers: ['mail', 'audit'] });
    await story.settled();
    const explained = await runMonctl(['event', 'explain', 'web-1', 'disk', '--backend', story.url]);
    expect(explained).toMatchObject({ code: 0, stderr: '' });
    expect(explained.stdout).toMatch(/^mail +silenced .*silenced by \*:disk/m);
    expect(explained.stdout).toMatch(/^audit +handle +delivered/m);

    const file = join(story.dir, 'result.json');
    await writeFile(
      file,
      JSON.stringify({ source: 'web-1', name: 'disk', output: '', status: 0, handlers: ['mail', 'audit'] }),
    );
    const simulated = await runMonctl(['simulate', file, '--backend', story.url]);
    expect(simulated).toMatchObject({ code: 0, stderr: '' });
    expect(simulated.stdout).toMatch(/^mail +silenced/m);
    expect(simulated.stdout).toMatch(/^audit +handle/m);
    expect(await story.api.events()).toHaveLength(1);
  });
});

test('a simulation creates no client, result, event, notification or registration', async () => {
  const story = await HandlerStory.open({ handlers: { default: {}, registration: {} } });
  await story.api.simulate({ source: 'new-1', name: 'disk', output: '', status: 2 });
  expect(await story.api.clients()).toEqual([]);
  expect(await story.api.results()).toEqual([]);
  expect(await story.api.events()).toEqual([]);
  expect([...(await story.lines()), ...(await story.lines('registration'))]).toEqual([]);
});
