import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { z } from 'zod';
import { HTTP_STATUS } from '../../shared/api/errors.ts';
import { schemaOf } from '../../shared/api/openapi.ts';
import { ERROR_CODES, ERROR_MEANINGS } from '../../shared/errors.ts';
import { acknowledgeShape } from '../../shared/schemas/acknowledgement.ts';
import { aggregateResponse } from '../../shared/schemas/aggregate.ts';
import { aggregateRuleSchema } from '../../shared/schemas/aggregate-rule.ts';
import { checkSchema } from '../../shared/schemas/check.ts';
import { clientResponse, clientSchema } from '../../shared/schemas/client.ts';
import { eventResponse } from '../../shared/schemas/event.ts';
import { feedEventRowSchema } from '../../shared/schemas/feed.ts';
import { filterSchema } from '../../shared/schemas/filter.ts';
import { handlerSchema } from '../../shared/schemas/handler.ts';
import { inhibitionSchema } from '../../shared/schemas/inhibition.ts';
import { mutatorSchema } from '../../shared/schemas/mutator.ts';
import { resultSchema } from '../../shared/schemas/result.ts';
import { monSilencedSchema, silencedDetailResponse } from '../../shared/schemas/silenced.ts';
import { v2AssetSchema } from '../../shared/schemas/v2/asset.ts';
import { v2CheckSchema } from '../../shared/schemas/v2/check.ts';
import { v2EntitySchema } from '../../shared/schemas/v2/entity.ts';
import { v2EventSchema } from '../../shared/schemas/v2/event.ts';
import { v2FilterSchema } from '../../shared/schemas/v2/filter.ts';
import { v2HandlerSchema } from '../../shared/schemas/v2/handler.ts';
import { v2HookSchema } from '../../shared/schemas/v2/hook.ts';
import { metadataSchema } from '../../shared/schemas/v2/metadata.ts';
import { v2MutatorSchema } from '../../shared/schemas/v2/mutator.ts';
import { v2PipelineSchema } from '../../shared/schemas/v2/pipeline.ts';
import { v2SilencedSchema } from '../../shared/schemas/v2/silenced.ts';
import { watchdogSchema } from '../../shared/schemas/watchdog.ts';
import { exitCode } from '../../tui/monctl/exit-codes.ts';
import { anchorsOnPage } from '../site/anchors.ts';
import { attributeList, attributesOf, type Attribute, type DescribedSchema } from './attribute-list.ts';
import { logCalls } from './log-calls.ts';
import { LOG_MESSAGES, messageList } from './log-messages.ts';
import { inlineCode, markdownTable } from './markdown-text.ts';

const REPOSITORY = join(import.meta.dirname, '../..');

/** A list of attributes in a reference page, between `<!-- print: NAME -->` and `<!-- end -->`. */
const PRINTED_LIST = /(<!-- print: (\S+) -->\n)[\s\S]*?(<!-- end -->)/g;

/** The attributes of each kind of object, by the name of the list on the reference pages. */
export const ATTRIBUTES: Readonly<Record<string, readonly Attribute[]>> = {
  check: requestAttributes(checkSchema),
  result: requestAttributes(resultSchema),
  ...handlerAttributes(),
  filter: requestAttributes(filterSchema),
  mutator: requestAttributes(mutatorSchema),
  client: requestAttributes(clientSchema),
  'client-response': responseAttributes(clientResponse),
  event: responseAttributes(eventResponse),
  'event-row': responseAttributes(feedEventRowSchema),
  silence: requestAttributes(monSilencedSchema),
  'silence-response': responseAttributes(silencedDetailResponse),
  acknowledgement: requestAttributes(z.object(acknowledgeShape)),
  aggregate: responseAttributes(aggregateResponse),
  'aggregate-rule': requestAttributes(aggregateRuleSchema),
  watchdog: requestAttributes(watchdogSchema),
  inhibition: requestAttributes(inhibitionSchema),
  'v2-metadata': requestAttributes(metadataSchema()),
  'v2-check': v2Attributes(v2CheckSchema),
  'v2-hook': v2Attributes(v2HookSchema),
  'v2-asset': v2Attributes(v2AssetSchema),
  'v2-handler': v2Attributes(v2HandlerSchema),
  'v2-filter': v2Attributes(v2FilterSchema),
  'v2-mutator': v2Attributes(v2MutatorSchema),
  'v2-pipeline': v2Attributes(v2PipelineSchema),
  'v2-entity': v2Attributes(v2EntitySchema),
  'v2-event': v2Attributes(v2EventSchema),
  'v2-silence': v2Attributes(v2SilencedSchema),
};

/**
 * Returns the text of a reference page with its lists printed from the schemas. The rest of the page is written by
 * hand.
 *
 * @param page path in the repository
 * @throws Error if the page contains a list of an unknown name
 */
export function referencePage(page: string): string {
  const text = readFileSync(join(REPOSITORY, page), 'utf8');
  return text.replaceAll(PRINTED_LIST, (_printed, start: string, name: string, end: string) => {
    const attributes = ATTRIBUTES[name];
    const list = attributes === undefined ? otherList(name) : attributeList(attributes, findExamples(text));
    if (list === undefined) throw new Error(`${page}: there is no list ${name}`);
    return `${start}\n${list}\n\n${end}`;
  });
}

/** Returns a list that does not consist of attributes; undefined if there is none of this name. */
function otherList(name: string): string | undefined {
  if (name === 'error-codes') return errorTable();
  const [, group] = /^log-(.*)$/.exec(name) ?? [];
  return group !== undefined && Object.hasOwn(LOG_MESSAGES, group) ? messageList(group, logCalls()) : undefined;
}

/** Returns links to the sections of a page that explain attributes, by attribute: the names in third-level headings. */
function findExamples(text: string): ReadonlyMap<string, string> {
  const anchorOf = anchorsOnPage();
  return new Map(
    Array.from(text.matchAll(/^(#+) (.*)$/gm), ([, level, title = '']) => ({ level, title, anchor: anchorOf(title) }))
      .filter(({ level }) => level === '###')
      .flatMap(({ title, anchor }) =>
        Array.from(title.matchAll(/`(\w+)(?:: \w+)?`/g), ([, name = '']) => [name, `#${anchor}`] as const),
      ),
  );
}

function requestAttributes(schema: z.ZodType): readonly Attribute[] {
  return attributesOf(schemaOf(schema));
}

/**
 * Returns the attributes of an object of the v2 API. Those of its metadata and of the entity of an event are omitted,
 * because they have lists of their own.
 */
function v2Attributes(schema: z.ZodType): readonly Attribute[] {
  return requestAttributes(schema).filter(({ path }) => !/^entity\.|\bmetadata\./.test(path));
}

/** Returns the attributes of a response. None is marked as required: the descriptions say when one is absent. */
function responseAttributes(schema: z.ZodType): readonly Attribute[] {
  return requestAttributes(schema).map(({ path, schema: attribute }) => ({
    path,
    schema: attribute,
    isRequired: false,
  }));
}

/** Whether handlers of a type send something themselves. */
function isSendingType({ type }: { readonly type: string }): boolean {
  return type !== 'set' && type !== 'escalation';
}

/** Returns the attributes of all handlers that send something, and those that only one type of handler has. */
function handlerAttributes(): Readonly<Record<string, readonly Attribute[]>> {
  const types = ((schemaOf(handlerSchema) as DescribedSchema).oneOf ?? []).map((schema) => ({
    type: String(schema.properties?.['type']?.const),
    attributes: attributesOf(schema).filter(({ path }) => path !== 'type'),
  }));
  const running = types.filter(isSendingType);
  const isCommon = ({ path }: Attribute): boolean =>
    running.every(({ attributes }) => attributes.some((attribute) => attribute.path === path));
  return {
    handler: (running[0]?.attributes ?? []).filter(isCommon),
    ...Object.fromEntries(
      types.map(({ type, attributes }) => [
        `handler-${type}`,
        attributes.filter((attribute) => !isSendingType({ type }) || !isCommon(attribute)),
      ]),
    ),
  };
}

function errorTable(): string {
  const rows = ERROR_CODES.map((error) => [
    inlineCode(error),
    String(HTTP_STATUS[error]),
    String(exitCode(error)),
    ERROR_MEANINGS[error],
  ]);
  return markdownTable([['Code', 'HTTP status', 'Exit code', 'Meaning'], ...rows]);
}
