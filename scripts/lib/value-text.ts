/** The part of a JSON Schema that describes the values of a setting. */
export interface JsonSchema {
  readonly type?: string;
  readonly description?: string;
  readonly default?: unknown;
  readonly enum?: readonly unknown[];
  readonly const?: unknown;
  readonly anyOf?: readonly JsonSchema[];
  readonly minimum?: number;
  readonly maximum?: number;
  readonly items?: JsonSchema;
  readonly properties?: Readonly<Record<string, JsonSchema>>;
  readonly required?: readonly string[];
}

/** The bound that zod writes into a JSON Schema for an integer without a limit. */
const { MAX_SAFE_INTEGER } = Number;

/** Returns a description of the valid values of a setting: `10 to 100,000`, `info or debug`, `list of text`. */
export function valueText(schema: JsonSchema): string {
  if (schema.anyOf !== undefined) return [...new Set(schema.anyOf.map((option) => valueText(option)))].join(' or ');
  if (schema.enum !== undefined) return schema.enum.map((value) => literalCode(value)).join(', ');
  if (schema.const !== undefined) return literalCode(schema.const);
  switch (schema.type) {
    case 'boolean':
      return '`true`, `false`';
    case 'integer':
    case 'number':
      return numberText(schema);
    case 'array':
      return `list of ${valueText(schema.items ?? {})}`;
    case 'object':
      return schema.properties === undefined ? 'object' : `object with ${Object.keys(schema.properties).join(', ')}`;
    default:
      return 'text';
  }
}

function literalCode(value: unknown): string {
  return `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``;
}

function formatNumber(value: number): string {
  return value.toLocaleString('en-US');
}

function numberText({ minimum, maximum }: JsonSchema): string {
  if (minimum === undefined) return 'number';
  if (maximum === undefined || maximum >= MAX_SAFE_INTEGER) return `from ${formatNumber(minimum)}`;
  return `${formatNumber(minimum)} to ${formatNumber(maximum)}`;
}
