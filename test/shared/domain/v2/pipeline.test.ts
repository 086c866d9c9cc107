import { describe, expect, test } from 'vitest';
import {
  handlerOfWorkflow,
  pipelineRefs,
  routePipelines,
  type PipelineDefinition,
  type PipelineSource,
} from '../../../../shared/domain/v2/pipeline.ts';
import { handlerSchema, type HandlerDefinition } from '../../../../shared/schemas/handler.ts';

const PIPE: HandlerDefinition = handlerSchema.parse({
  type: 'pipe',
  command: 'true',
  filters: ['never'],
  mutator: 'own',
});

const setOf = (...handlers: string[]): HandlerDefinition => handlerSchema.parse({ type: 'set', handlers });

const HANDLERS: Readonly<Record<string, HandlerDefinition>> = {
  mail: PIPE,
  set: setOf('inner'),
  inner: setOf('mail'),
  deep: setOf('set2'),
  set2: setOf('set3'),
  set3: setOf('mail'),
};

type Workflow = Partial<PipelineDefinition['workflows'][number]>;

/** Returns a source with the pipeline `page`, which consists of this workflow. */
function sourceOf(workflow: Workflow): PipelineSource {
  const page = {
    name: 'page',
    workflows: [{ name: 'w', filters: [], mutator: undefined, handler: 'mail', foreignType: undefined, ...workflow }],
  };
  return {
    pipeline: (name) => (name === 'page' ? page : undefined),
    handler: (name) => (Object.hasOwn(HANDLERS, name) ? HANDLERS[name] : undefined),
  };
}

const PAGE = [{ name: 'page', foreignType: undefined }];
const route = (workflow: Workflow): object => routePipelines(PAGE, sourceOf(workflow));

describe('the pipelines that a check names', () => {
  test('a check has at most 100 pipelines', () => {
    const pipelines = Array.from({ length: 150 }, (_, at) => ({ name: `p${String(at)}` }));
    expect(pipelineRefs({ pipelines }).map(({ name }) => name)).toEqual(
      pipelines.slice(0, 100).map(({ name }) => name),
    );
  });

  test('the pipelines of a check are listed once each, and a pipeline of another type keeps its type', () => {
    const page = { name: 'page', type: 'Pipeline', api_version: 'core/v2' };
    const foreign = { ...page, api_version: 'other/v1' };
    const refs = pipelineRefs({ pipelines: [page, { name: 'page' }, foreign, { name: '' }, 'page', null] });
    expect(refs).toEqual([
      { name: 'page', foreignType: undefined },
      { name: 'page', foreignType: 'other/v1.Pipeline' },
    ]);
  });
});

describe('a workflow', () => {
  test('a workflow replaces the filters and the mutator of its handler', () => {
    expect(route({ filters: ['is_incident'], mutator: 'json' })).toMatchObject([
      { kind: 'handler', name: 'page#w', definition: { filters: ['is_incident'], mutator: 'json' } },
    ]);
    expect(handlerOfWorkflow('page#w', sourceOf({}))).not.toHaveProperty('mutator');
    expect(JSON.stringify(handlerOfWorkflow('page#w', sourceOf({})))).not.toContain('never');
  });

  test('a workflow runs the members of a handler set, but not the members of a set within the set', () => {
    expect(route({ handler: 'set' })).toMatchObject([{ kind: 'handler', name: 'page#w#mail' }]);
    expect(route({ handler: 'deep' })).toMatchObject([{ kind: 'nested_set' }]);
  });

  test('a workflow with a schedule runs the handlers of the person on call, and finds those of all people', () => {
    const target = { handlers: ['mail'], everyone: ['mail', 'set'], reason: 'ada is on call' };
    const source = {
      ...sourceOf({ handler: 'on-call/database', filters: ['is_incident'] }),
      onCall: (schedule: string) => (schedule === 'database' ? target : undefined),
    };
    const ofAda = { kind: 'handler', name: 'page#w#mail', onCall: 'ada is on call' };
    expect(routePipelines(PAGE, source)).toMatchObject([{ ...ofAda, definition: { filters: ['is_incident'] } }]);
    expect(routePipelines(PAGE, source, () => true)).toMatchObject([ofAda]);
    expect(routePipelines(PAGE, source, () => false)).toMatchObject([
      { kind: 'nobody_on_call', name: 'page#w', reason: 'none of its people was notified of the problem' },
    ]);
    expect(handlerOfWorkflow('page#w#mail', source)).toMatchObject({ type: 'pipe' });
    const nobody = { ...source, onCall: () => ({ ...target, handlers: [] }) };
    expect(routePipelines(PAGE, nobody)).toMatchObject([{ kind: 'nobody_on_call', reason: 'ada is on call' }]);
  });

  test('a workflow with a handler of an unknown type runs no handler of the same name', () => {
    expect(route({ foreignType: 'pipeline/v1.TCPStreamHandler' })).toMatchObject([{ kind: 'unknown_handler' }]);
  });

  test('a workflow with an undefined handler, even one named like an inherited member, is reported', () => {
    expect(route({ handler: 'none' })).toMatchObject([{ kind: 'unknown_handler' }]);
    expect(route({ handler: 'constructor' })).toMatchObject([{ kind: 'unknown_handler' }]);
  });
});

test('a pipeline of another type or without a definition is reported and runs nothing', () => {
  const refs = [
    { name: 'page', foreignType: 'other/v1.Pipeline' },
    { name: 'none', foreignType: undefined },
  ];
  expect(routePipelines(refs, sourceOf({})).map(({ kind }) => kind)).toEqual(['unknown_pipeline', 'unknown_pipeline']);
});
