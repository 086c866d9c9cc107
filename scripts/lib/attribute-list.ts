import { inlineCode } from './markdown-text.ts';

/**
 * The part of a JSON Schema that the list of attributes shows. The names of mon's own metadata begin with `x-`, because
 * the OpenAPI document allows no other additions.
 */
export interface DescribedSchema {
  readonly type?: string | readonly string[];
  readonly description?: string;
  readonly default?: unknown;
  readonly 'x-unit'?: string;
  /** The type of the values in words. It replaces the one that is derived from the schema. */
  readonly 'x-value'?: string;
  /** The counterpart of an attribute of the v2 API in the v1 API and the configuration. */
  readonly 'x-v1'?: string;
  /** The word that stands for the keys of an object with keys of any name. */
  readonly 'x-key'?: string;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly DescribedSchema[];
  readonly oneOf?: readonly DescribedSchema[];
  readonly minimum?: number;
  readonly exclusiveMinimum?: number;
  readonly maximum?: number;
  readonly items?: DescribedSchema;
  readonly properties?: Readonly<Record<string, DescribedSchema>>;
  readonly additionalProperties?: DescribedSchema | boolean;
  readonly required?: readonly string[];
}

/** An attribute with its path, such as `proxy_requests.splay` or `hooks.NAME.command`. */
export interface Attribute {
  readonly path: string;
  readonly schema: DescribedSchema;
  readonly isRequired: boolean;
}

/** Returns the attributes of an object, each followed by the attributes of its objects. */
export function attributesOf(schema: DescribedSchema, prefix = ''): readonly Attribute[] {
  const required = new Set(schema.required ?? []);
  return Object.entries(schema.properties ?? {}).flatMap(([name, attribute]) => {
    const path = `${prefix}${name}`;
    const own: Attribute = { path, schema: attribute, isRequired: required.has(name) };
    return [own].concat(nestedAttributes(attribute, path));
  });
}

/** Returns the attributes of the objects that an attribute contains: in itself, in its list, or by name. */
function nestedAttributes(schema: DescribedSchema, path: string): readonly Attribute[] {
  const [object = {}] = alternativesOf(schema);
  const { properties, items, additionalProperties } = object;
  if (properties !== undefined) return attributesOf(object, `${path}.`);
  if (items !== undefined) return nestedAttributes(items, `${path}[]`);
  if (typeof additionalProperties !== 'object') return [];
  return nestedAttributes(additionalProperties, `${path}.${schema['x-key'] ?? 'NAME'}`);
}

/** Returns the alternatives of a schema without null. In requests, null means that the attribute is absent. */
function alternativesOf(schema: DescribedSchema): readonly DescribedSchema[] {
  const { anyOf, oneOf, type } = schema;
  const all =
    anyOf ?? oneOf ?? (Array.isArray(type) ? type.map((one: string) => ({ ...schema, type: one })) : undefined);
  if (all === undefined) return type === 'null' ? [] : [schema];
  return all.flatMap((alternative) => alternativesOf(alternative));
}

/**
 * Returns a list of attributes in Markdown: the path, the type, the unit, the meaning and the default of each.
 *
 * @param links links to the examples of attributes, by path
 */
export function attributeList(attributes: readonly Attribute[], links: ReadonlyMap<string, string>): string {
  return attributes
    .map(({ path, schema, isRequired }) => {
      const link = links.get(path);
      const name = link === undefined ? inlineCode(path) : `[${inlineCode(path)}](${link})`;
      const { 'x-unit': unit, 'x-v1': v1, description = '' } = schema;
      const facts = [
        typeText(schema),
        ...(unit === undefined ? [] : [`in ${unit}`]),
        ...(isRequired ? ['required'] : []),
      ];
      return `- **${name}** (${facts.join(', ')}): ${description}${defaultText(schema)}${v1 === undefined ? '' : ` v1: ${v1}.`}`;
    })
    .join('\n');
}

function defaultText({ default: value }: DescribedSchema): string {
  if (value === undefined || (typeof value === 'object' && value !== null)) return '';
  return ` Default: ${literalCode(value)}.`;
}

/** Returns the type of a value in words: `integer from 1`, `list of text`, or the allowed values. */
function typeText(schema: DescribedSchema): string {
  if (schema['x-value'] !== undefined) return schema['x-value'];
  const alternatives = alternativesOf(schema);
  if (alternatives.length !== 1) return [...new Set(alternatives.map((one) => typeText(one)))].join(' or ');
  const { type, enum: values, const: constant, items, additionalProperties } = alternatives[0] ?? {};
  if (values !== undefined) return wordList(values.map((value) => literalCode(value)));
  if (constant !== undefined) return literalCode(constant);
  switch (type) {
    case 'boolean':
    case 'object':
      return typeof additionalProperties === 'object' && additionalProperties.type === 'string'
        ? 'object of texts'
        : type;
    case 'integer':
    case 'number':
      return `${type}${rangeText(alternatives[0] ?? {})}`;
    case 'array':
      return `list of ${items?.properties === undefined ? typeText(items ?? {}) : 'objects'}`;
    case 'string':
      return 'text';
    default:
      return 'any value';
  }
}

function wordList(words: readonly string[]): string {
  return words.length < 2 ? words.join('') : `${words.slice(0, -1).join(', ')} or ${words.at(-1) ?? ''}`;
}

function literalCode(value: unknown): string {
  return inlineCode(typeof value === 'string' ? value : JSON.stringify(value));
}

function rangeText({ type, minimum, exclusiveMinimum, maximum = Infinity }: DescribedSchema): string {
  const from = minimum ?? (type === 'integer' && exclusiveMinimum !== undefined ? exclusiveMinimum + 1 : undefined);
  // zod writes the safe integers as the limits of an integer without limits.
  const isLimited = maximum < Number.MAX_SAFE_INTEGER;
  if (from !== undefined && from > Number.MIN_SAFE_INTEGER) {
    return isLimited ? ` from ${numberText(from)} to ${numberText(maximum)}` : ` from ${numberText(from)}`;
  }
  if (exclusiveMinimum === undefined) return '';
  return ` above ${numberText(exclusiveMinimum)}${isLimited ? ` to ${numberText(maximum)}` : ''}`;
}

function numberText(value: number): string {
  return value.toLocaleString('en-US');
}
