import { describe, expect, test } from 'vitest';
import { attributeList, attributesOf, type DescribedSchema } from '../../scripts/lib/attribute-list.ts';
import { REFERENCE_PAGES } from '../../scripts/lib/printed-pages.ts';
import { ATTRIBUTES } from '../../scripts/lib/reference-pages.ts';
import { CHECK_TOLERANCES } from '../../daemon/settings/tolerate-check.ts';
import { buildEvent } from '../../shared/domain/build-event.ts';
import { NO_CHECK_STATE, nextCheckState } from '../../shared/domain/event.ts';
import { checkResultOf } from '../../shared/domain/result.ts';
import { v2EntityOf } from '../../shared/domain/v2/entity.ts';
import { v2EventOf } from '../../shared/domain/v2/event.ts';
import { schemaOf } from '../../shared/api/openapi.ts';
import { v2AssetSchema } from '../../shared/schemas/v2/asset.ts';
import { v2CheckSchema } from '../../shared/schemas/v2/check.ts';
import { v2EntitySchema } from '../../shared/schemas/v2/entity.ts';
import { v2EventSchema } from '../../shared/schemas/v2/event.ts';
import { v2FilterSchema } from '../../shared/schemas/v2/filter.ts';
import { v2HandlerSchema } from '../../shared/schemas/v2/handler.ts';
import { v2HookSchema } from '../../shared/schemas/v2/hook.ts';
import { v2MutatorSchema } from '../../shared/schemas/v2/mutator.ts';
import { v2PipelineSchema } from '../../shared/schemas/v2/pipeline.ts';
import { v2SilencedSchema } from '../../shared/schemas/v2/silenced.ts';
import type { Event } from '../../shared/schemas/event.ts';
import type { GroupedEvent } from '../../shared/schemas/handler-job.ts';
import { blocksOf } from './blocks.ts';
import { repositoryFiles, repositoryText } from '../support/repository.ts';

/** The fields that an event has only in the data for handlers. The type makes the list complete. */
const FIELDS_FOR_HANDLERS: Readonly<Record<Exclude<keyof GroupedEvent, keyof Event>, true>> = {
  acknowledgement_started: true,
  silence_ended: true,
  silence_ending: true,
  inhibition_ended: true,
  acknowledgement_expired: true,
  acknowledgement_ended: true,
  escalation: true,
  change: true,
};

/** The schemas of the objects of the v2 API, by the names of their lists. */
const V2_SCHEMAS = {
  'v2-check': v2CheckSchema,
  'v2-hook': v2HookSchema,
  'v2-asset': v2AssetSchema,
  'v2-handler': v2HandlerSchema,
  'v2-filter': v2FilterSchema,
  'v2-mutator': v2MutatorSchema,
  'v2-pipeline': v2PipelineSchema,
  'v2-entity': v2EntitySchema,
  'v2-event': v2EventSchema,
  'v2-silence': v2SilencedSchema,
};

const PAGES = REFERENCE_PAGES.map((page) => repositoryText(page));

describe('the reference of attributes', () => {
  test('all pages in docs/reference are generated', () => {
    expect([...repositoryFiles('docs/reference/*.md').keys()]).toEqual(REFERENCE_PAGES.toSorted());
  });

  test.each(Object.entries(ATTRIBUTES))('each attribute in the list "%s" has a description', (_name, attributes) => {
    expect(attributes.length).toBeGreaterThan(0);
    expect(attributes.filter(({ schema }) => schema.description === undefined).map(({ path }) => path)).toEqual([]);
  });

  test.each(Object.entries(ATTRIBUTES))(
    'each attribute in the list "%s" is on a reference page',
    (name, attributes) => {
      const page = PAGES.find((text) => text.includes(`<!-- print: ${name} -->`)) ?? '';
      expect(attributes.filter(({ path }) => !page.includes(`\`${path}\``)).map(({ path }) => path)).toEqual([]);
    },
  );

  const [, section = ''] = repositoryText('docs/spec/reference.md').split('### 2.2 Check definition');
  const rows = section.split('####')[0]?.matchAll(/^\| (\w+) \|/gm) ?? [];
  const specified = Array.from(rows, ([, name = '']) => name).filter((name) => name !== 'Attribute');

  test('each attribute of a check in the specification is in the reference', () => {
    expect(specified.length).toBeGreaterThan(30);
    expect(specified.filter((name) => !isListed('check', name))).toEqual([]);
  });

  test('docs/reference/checks.md has an example of each attribute of a check, except of singular forms', () => {
    const singular = new Set(['handler', 'contact', 'aggregate']);
    const examples = blocksOf(repositoryText('docs/reference/checks.md')).map(({ text }) => text.replaceAll('"', ''));
    const hasExample = (name: string): boolean =>
      examples.some((text) => new RegExp(`(?:^|[{ ])${name}:(?: |$)`, 'm').test(text));
    expect(specified.filter((name) => !singular.has(name) && !hasExample(name))).toEqual([]);
  });

  test('each attribute of a check that the configuration validates is in the reference', () => {
    expect(Object.keys(CHECK_TOLERANCES).filter((name) => !isListed('check', name))).toEqual([]);
  });
});

describe('the reference of objects of the v2 API', () => {
  const page = repositoryText('docs/reference/v2-objects.md');

  test.each(Object.entries(V2_SCHEMAS))('the list "%s" names the v1 counterpart of each attribute', (name, schema) => {
    expect(page).toContain(`<!-- print: ${name} -->`);
    const attributes = Object.entries((schemaOf(schema) as DescribedSchema).properties ?? {});
    const isMapped = ([path, { 'x-v1': v1 }]: (typeof attributes)[number]): boolean =>
      path === 'metadata' || v1 !== undefined;
    expect(attributes.filter((attribute) => !isMapped(attribute)).map(([path]) => path)).toEqual([]);
  });

  test.each(Object.entries(V2_SCHEMAS))('the example above the list "%s" is valid', (name, schema) => {
    const [above = ''] = page.split(`<!-- print: ${name} -->`);
    const { text } = blocksOf(above.slice(above.lastIndexOf('\n## '))).at(-1) ?? { text: '' };
    expect(schema.safeParse(JSON.parse(text)).error?.issues).toBeUndefined();
  });
});

describe('the reference of events', () => {
  const page = repositoryText('docs/reference/events.md');
  const now = 1_800_000_000;
  const client = { name: 'web-1', address: '10.0.0.5', subscriptions: ['client:web-1'], timestamp: now, version: '2' };
  const check = checkResultOf(
    { name: 'disk', output: 'full', status: 2, duration: 0.2, executed: now, handlers: ['mail'] },
    { reporter: 'web-1', definition: undefined, now, issued: undefined },
  );
  const { state } = nextCheckState(NO_CHECK_STATE, check, { now, newId: () => 'event-1' });
  const event = state.event && { ...state.event, acknowledgement: { owner: 'ada', at: now, status: 2 } };

  test('each field of an event of the v1 API is on the page', () => {
    if (event === undefined) throw new Error('a failing check has no event');
    const parts = { state: event, client, check, history: state.history, silencedBy: ['*:disk'] };
    const { client: _client, check: _check, ...fields } = buildEvent(parts);
    expect(Object.keys(fields).filter((name) => !page.includes(`**\`${name}\`**`))).toEqual([]);
  });

  test('each field that an event has only for handlers is on the page', () => {
    expect(Object.keys(FIELDS_FOR_HANDLERS).filter((name) => !page.includes(`**\`${name}\`**`))).toEqual([]);
  });

  test('each field of an event of the v2 API is on the page', () => {
    const entity = v2EntityOf('default', client);
    const parts = { id: 'event-1', namespace: 'default', entity, silenced: ['*:disk'], check, history: state.history };
    const { check: shown, ...fields } = v2EventOf({ ...parts, state });
    const ofCheck = Object.keys(shown).filter((name) => !page.includes(`\`check.${name}\``));
    expect(ofCheck.filter((name) => !page.includes(`\`${name}\``))).toEqual([]);
    expect(Object.keys(fields).filter((name) => !page.includes(`**\`${name}\`**`))).toEqual([]);
  });
});

function isListed(list: string, name: string): boolean {
  return ATTRIBUTES[list]?.some(({ path }) => path === name) ?? false;
}

test.each<{ schema: DescribedSchema; text: string }>([
  { schema: { type: 'integer', exclusiveMinimum: 0, 'x-unit': 'seconds' }, text: '(integer from 1, in seconds): ' },
  { schema: { type: 'number', minimum: 0, maximum: 86_400 }, text: '(number from 0 to 86,400): ' },
  {
    schema: { type: 'boolean', description: 'Whether.', default: false },
    text: '(boolean): Whether. Default: `false`.',
  },
  { schema: { type: ['number', 'string'] }, text: '(number or text): ' },
  { schema: { anyOf: [{ type: 'string' }, { type: 'null' }] }, text: '(text): ' },
  { schema: { type: 'array', items: { enum: ['a', 'b'] } }, text: '(list of `a` or `b`): ' },
  { schema: { 'x-value': 'object', default: {} }, text: '(object): ' },
])('an attribute is printed in the reference as $text', ({ schema, text }) => {
  expect(attributeList([{ path: 'a', schema, isRequired: false }], new Map())).toBe(`- **\`a\`** ${text}`);
});

test('the attributes of nested objects are listed with their paths', () => {
  const object = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] };
  const schema: DescribedSchema = {
    properties: {
      one: object,
      list: { type: 'array', items: object },
      named: { type: 'object', additionalProperties: object, 'x-key': 'DAY' },
    },
  };
  expect(attributesOf(schema).map(({ path, isRequired }) => (isRequired ? `${path}!` : path))).toEqual([
    'one',
    'one.a!',
    'list',
    'list[].a!',
    'named',
    'named.DAY.a!',
  ]);
});
