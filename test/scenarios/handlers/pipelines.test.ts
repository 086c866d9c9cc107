import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { EventExplanation } from '../../../shared/schemas/explain.ts';
import { HandlerScenario } from '../../support/handler-scenario.ts';
import { runMonctl } from '../../support/run-monctl.ts';
import { V2Peer } from '../../support/v2-peer.ts';

const NAMESPACE = '/namespaces/default';

const core = (type: string, name: string): object => ({ type, name, api_version: 'core/v2' });

interface Workflow {
  readonly name: string;
  readonly handler: string | object;
  readonly filters?: readonly string[];
  readonly mutator?: string;
}

/** Returns a pipeline in the form in which clients of Sensu Go send it. */
const pipeline = (name: string, ...workflows: Workflow[]): object => ({
  metadata: { name, namespace: 'default' },
  workflows: workflows.map(({ name: own, handler, filters, mutator }) => ({
    name: own,
    filters: filters?.map((filter) => core('EventFilter', filter)),
    mutator: mutator === undefined ? undefined : core('Mutator', mutator),
    handler: typeof handler === 'string' ? core('Handler', handler) : handler,
  })),
});

const PAGE = [{ type: 'Pipeline', api_version: 'core/v2', name: 'page' }];
const RESULT = { handlers: [], pipelines: PAGE };

const explained = async (scenario: HandlerScenario): Promise<EventExplanation['handlers']> =>
  (await scenario.api.explainEvent('web-1', 'disk'))?.handlers ?? [];

/** Opens a backend whose configuration has handlers that write their input to files, filters, and a mutator. */
async function open(): Promise<{ scenario: HandlerScenario; v2: V2Peer }> {
  const scenario = await HandlerScenario.open(
    {
      handlers: {
        pager: { event_format: 'core', filters: ['never'], mutator: 'nobody', handle_silenced: false },
        desk: {},
        both: { type: 'set', handlers: ['desk', 'pager'] },
        deep: { type: 'set', handlers: ['deeper'] },
        deeper: { type: 'set', handlers: ['deepest'] },
        deepest: { type: 'set', handlers: ['desk'] },
      },
      filters: {
        never: { attributes: { client: { name: 'nobody' } } },
        critical: { attributes: { check: { status: 2 } } },
      },
      mutators: { short: { command: 'printf short' } },
    },
    { hasAdministrator: true },
  );
  return { scenario, v2: new V2Peer(scenario.url) };
}

const put = async (v2: V2Peer, object: object): Promise<void> => {
  const { name } = (object as { readonly metadata: { readonly name: string } }).metadata;
  expect(await v2.put(`${NAMESPACE}/pipelines/${name}`, object)).toMatchObject({ status: 201 });
};

test('an event goes through the filters, the mutator and the handler of each workflow', async () => {
  const { scenario, v2 } = await open();
  await put(
    v2,
    pipeline(
      'page',
      { name: 'urgent', filters: ['critical'], handler: 'pager' },
      { name: 'all', mutator: 'short', handler: 'desk' },
    ),
  );
  await scenario.report(1, RESULT);
  expect(await scenario.lines('desk')).toEqual(['short']);
  expect(await scenario.lines('pager')).toEqual([]);
  await scenario.report(2, RESULT);
  expect(await scenario.lines('desk')).toEqual(['short']);
  expect((await scenario.lines('pager')).map((line) => JSON.parse(line) as object)).toMatchObject([
    { check: { status: 2 }, pipelines: PAGE },
  ]);
});

test('a check that names a handler and a pipeline runs the handler for both', async () => {
  const { scenario, v2 } = await open();
  await put(v2, pipeline('page', { name: 'all', handler: 'desk' }));
  await scenario.report(2, { handlers: ['desk'], pipelines: PAGE });
  expect(await scenario.actions('desk')).toEqual(['create 2', 'create 2']);
});

test('a check of the configuration that names only a pipeline does not run the handler default', async () => {
  const { scenario, v2 } = await open();
  await put(v2, pipeline('page', { name: 'all', handler: 'desk' }));
  await scenario.report(2, { pipelines: [{ name: 'page' }] });
  expect(await scenario.actions('desk')).toEqual(['create 2']);
  const handlers = await explained(scenario);
  expect(handlers.map(({ handler }) => handler)).toEqual(['page#all']);
});

test('each member of a handler set runs with the filters of the workflow that names the set', async () => {
  const { scenario, v2 } = await open();
  await put(v2, pipeline('page', { name: 'all', filters: ['critical'], handler: 'both' }));
  await scenario.report(1, RESULT);
  await scenario.report(2, RESULT);
  expect(await scenario.actions('desk')).toEqual(['create 2']);
  expect(await scenario.lines('pager')).toHaveLength(1);
  const handlers = await explained(scenario);
  expect(handlers.map(({ handler }) => handler)).toEqual(['page#all#desk', 'page#all#pager']);
});

/** Opens a backend in which ada is on call for the schedule `database`. */
const onCall = async (): Promise<{ scenario: HandlerScenario; v2: V2Peer }> => {
  const scenario = await HandlerScenario.open(
    {
      handlers: { ada: {}, bob: {}, duty: { type: 'set', handlers: ['on-call/database'] } },
      people: { ada: { notify: ['ada'] }, bob: { notify: ['bob'] } },
      schedules: { database: { layers: [{ people: ['ada'] }] } },
    },
    { hasAdministrator: true },
  );
  return { scenario, v2: new V2Peer(scenario.url) };
};

const bobTakesOver = async ({ api, clock }: HandlerScenario): Promise<void> => {
  await api.createOverride('database', { person: 'bob', until: Math.floor(clock.now() / 1000) + 3600 });
};

describe('a workflow that names on-call/database (on-call 3)', () => {
  test.each(['on-call/database', 'duty'])(
    'notifies the person on call, and sends the resolution to whoever was notified of the problem: %s',
    async (handler) => {
      const { scenario, v2 } = await onCall();
      await put(v2, pipeline('page', { name: 'all', handler }));
      await scenario.report(2, RESULT);
      expect(await scenario.actions('ada')).toEqual(['create 2']);
      expect(await explained(scenario)).toMatchObject([
        { handler: 'page#all#ada', verdict: 'handle', reason: expect.stringContaining('ada is on call') as string },
      ]);
      await bobTakesOver(scenario);
      await scenario.report(0, RESULT);
      expect(await scenario.actions('ada')).toEqual(['resolve 0']);
      await scenario.report(2, RESULT);
      expect(await scenario.actions('bob')).toEqual(['create 2']);
      expect(await scenario.actions('ada')).toEqual([]);
    },
  );

  test('is reported if there is no such schedule', async () => {
    const { scenario, v2 } = await onCall();
    await put(v2, pipeline('page', { name: 'all', handler: 'on-call/nobody' }));
    await scenario.report(2, RESULT);
    expect(await explained(scenario)).toMatchObject([
      {
        verdict: 'unknown_handler',
        reason:
          'the workflow all refers to the handler on-call/nobody, but no schedule nobody is defined, or the event is not in the namespace default',
      },
    ]);
  });

  test('may be a member of a handler set that the v2 API stores', async () => {
    const { scenario, v2 } = await onCall();
    const set = { metadata: { name: 'team', namespace: 'default' }, type: 'set', handlers: ['on-call/database'] };
    expect(await v2.put(`${NAMESPACE}/handlers/team`, set)).toMatchObject({ status: 201 });
    await put(v2, pipeline('page', { name: 'all', handler: 'team' }));
    await scenario.report(2, { handlers: ['team'], pipelines: PAGE });
    expect(await scenario.actions('ada')).toEqual(['create 2', 'create 2']);
  });
});

test.each<{ filters: string[]; runs: number }>([
  { filters: ['not_silenced'], runs: 0 },
  { filters: [], runs: 1 },
])(
  'a silenced event goes through a workflow unless the workflow has the filter not_silenced: $filters',
  async ({ filters, runs }) => {
    const { scenario, v2 } = await open();
    await scenario.api.silence({ check: 'disk' });
    await put(v2, pipeline('page', { name: 'all', filters, handler: 'pager' }));
    await scenario.report(2, RESULT);
    expect(await scenario.lines('pager')).toHaveLength(runs);
  },
);

test('an event that is posted to the v2 API is handled by the pipelines that the event names', async () => {
  const { scenario, v2 } = await open();
  await put(v2, pipeline('page', { name: 'all', filters: ['is_incident'], handler: 'pager' }));
  const event = {
    entity: { entity_class: 'proxy', metadata: { name: 'e' } },
    check: { metadata: { name: 'c' }, status: 0, output: '', pipelines: [] },
    pipelines: PAGE,
  };
  await v2.put(`${NAMESPACE}/events/e/c`, event);
  expect(await scenario.lines('pager')).toEqual([]);
  await v2.put(`${NAMESPACE}/events/e/c`, { ...event, check: { ...event.check, status: 2 } });
  expect(await scenario.lines('pager')).toHaveLength(1);
  expect((await v2.get(`${NAMESPACE}/events/e/c`)).body).toMatchObject({ pipelines: PAGE });
});

test('an event with an empty list of pipelines is handled by the pipelines of its stored check', async () => {
  const { scenario, v2 } = await open();
  await put(v2, pipeline('page', { name: 'all', handler: 'pager' }));
  const check = {
    metadata: { name: 'c', namespace: 'default' },
    command: 'x',
    interval: 60,
    pipelines: [{ name: 'page' }],
  };
  await v2.put(`${NAMESPACE}/checks/c`, check);
  expect((await v2.get(`${NAMESPACE}/checks/c`)).body).toMatchObject({ pipelines: PAGE });
  await v2.put(`${NAMESPACE}/events/e/c`, {
    entity: { entity_class: 'proxy', metadata: { name: 'e' } },
    check: { metadata: { name: 'c' }, status: 2, output: '', pipelines: [] },
  });
  expect(await scenario.lines('pager')).toHaveLength(1);
});

test('a workflow whose handler groups events sends one notification for the group', async () => {
  const { scenario, v2 } = await open();
  const handler = { command: `cat >> ${join(scenario.dir, 'grouped')}; echo >> ${join(scenario.dir, 'grouped')}` };
  await v2.put(`${NAMESPACE}/handlers/grouped`, {
    metadata: { name: 'grouped', namespace: 'default' },
    type: 'pipe',
    ...handler,
    mon: { group_by: ['client'], group_wait: 10 },
  });
  await put(v2, pipeline('page', { name: 'all', handler: 'grouped' }));
  await scenario.report(2, RESULT);
  await scenario.report(2, { ...RESULT, name: 'http' });
  expect(await scenario.api.handlerGroups()).toMatchObject([{ handler: 'page#all', firing: 2 }]);
});

describe('a pipeline with a missing part', () => {
  test('the explanation names the missing part of each workflow with the reason', async () => {
    const { scenario, v2 } = await open();
    await put(
      v2,
      pipeline(
        'page',
        { name: 'gone', handler: 'nobody' },
        { name: 'built', handler: 'debug' },
        { name: 'deep', handler: 'deep' },
        { name: 'mutated', mutator: 'nobody', handler: 'desk' },
        { name: 'filtered', filters: ['nowhere'], handler: 'desk' },
        { name: 'stream', handler: { type: 'TCPStreamHandler', name: 'desk', api_version: 'pipeline/v1' } },
      ),
    );
    await put(v2, pipeline('empty'));
    const others = [{ name: 'empty' }, { name: 'nowhere' }, { name: 'x', type: 'Other', api_version: 'other/v1' }];
    await scenario.report(2, { handlers: [], pipelines: [...PAGE, ...others] });
    const handlers = await explained(scenario);
    expect(handlers).toMatchObject([
      {
        handler: 'page#gone',
        verdict: 'unknown_handler',
        reason: 'the workflow gone refers to the handler nobody, which is not defined',
        workflow: { pipeline: 'page', workflow: 'gone', handler: 'nobody' },
      },
      { handler: 'page#built', verdict: 'unknown_handler', reason: expect.stringContaining('is built in') },
      { handler: 'page#deep#deepest', verdict: 'nested_set' },
      { handler: 'page#mutated', verdict: 'unknown_mutator', reason: expect.stringContaining('nobody is not defined') },
      { handler: 'page#filtered', verdict: 'handle', defects: [{ filter: 'nowhere', problem: 'unknown filter' }] },
      {
        handler: 'page#stream',
        verdict: 'unknown_handler',
        reason: expect.stringContaining('pipeline/v1.TCPStreamHandler'),
      },
      { handler: 'empty', verdict: 'empty_pipeline', reason: 'the pipeline has no workflows' },
      { handler: 'nowhere', verdict: 'unknown_pipeline', reason: 'no pipeline of this name is defined' },
      { handler: 'x', verdict: 'unknown_pipeline', reason: expect.stringContaining('other/v1.Other') },
    ]);
  });

  test('a notification with a missing mutator becomes a dead letter, which a retry delivers once the mutator exists', async () => {
    const { scenario, v2 } = await open();
    await put(v2, pipeline('page', { name: 'mutated', mutator: 'late', handler: 'desk' }));
    await scenario.report(2, RESULT);
    await scenario.settled();
    const [letter] = await scenario.api.deadLetters();
    expect(letter).toMatchObject({ handler: 'page#mutated', reason: 'unknown mutator: late' });
    const mutator = { metadata: { name: 'late', namespace: 'default' }, command: 'printf late' };
    await v2.put(`${NAMESPACE}/mutators/late`, mutator);
    const retried = await runMonctl(['dead-letter', 'retry', String(letter?.id)], { MON_BACKEND: scenario.url });
    expect(retried).toMatchObject({ code: 0 });
    expect(await scenario.lines('desk')).toEqual(['late']);
  });

  test('a queued notification whose pipeline is deleted becomes a dead letter', async () => {
    const { scenario, v2 } = await open();
    const failing = { metadata: { name: 'slow', namespace: 'default' }, type: 'pipe', command: 'exit 1' };
    await v2.put(`${NAMESPACE}/handlers/slow`, { ...failing, mon: { retry: { attempts: 2, delay: 60 } } });
    await put(v2, pipeline('page', { name: 'all', handler: 'slow' }));
    await scenario.report(2, RESULT);
    await expect
      .poll(() => scenario.api.handlers())
      .toContainEqual(expect.objectContaining({ name: 'page#all', retrying: 1 }));
    expect(await scenario.api.handlers()).toContainEqual(expect.objectContaining({ name: 'page#all', type: 'pipe' }));
    await v2.delete(`${NAMESPACE}/pipelines/page`);
    scenario.clock.advance(120_000);
    await expect
      .poll(() => scenario.api.deadLetters())
      .toMatchObject([{ handler: 'page#all', reason: 'handler is not defined' }]);
  });
});

test('event explain, simulate and handler test name the pipeline and the workflow', async () => {
  const { scenario, v2 } = await open();
  await put(v2, pipeline('page', { name: 'all', filters: ['critical'], handler: 'desk' }));
  const env = { MON_BACKEND: scenario.url };
  const file = join(scenario.dir, 'result.json');
  await writeFile(file, JSON.stringify({ source: 'web-1', name: 'disk', output: '', status: 1, ...RESULT }));
  const simulated = await runMonctl(['simulate', file], env);
  expect(simulated.stdout).toMatch(
    /HANDLER +PIPELINE +VERDICT +REASON\npage#all +page\/all runs desk +filtered +filtered by critical/,
  );
  await scenario.report(2, RESULT);
  await scenario.settled();
  const { stdout } = await runMonctl(['event', 'explain', 'web-1', 'disk'], env, { nowMs: scenario.clock.now() });
  expect(stdout).toMatch(/page#all +page\/all runs desk +handle +delivered/);
  await scenario.lines('desk');
  const tested = await runMonctl(['handler', 'test', 'page#all'], env);
  expect(tested).toMatchObject({ code: 0, stderr: '' });
  expect(await scenario.lines('desk')).toHaveLength(1);
});
