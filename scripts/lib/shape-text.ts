import type { OpenApiPart } from '../../shared/api/openapi.ts';

/** Maximum length of a shape that is printed on one line, in characters. */
const LINE_LENGTH_MAX = 100;

/**
 * Returns a JSON Schema as a readable TypeScript-like type: `{ id: string; left?: number | null }`. Limits such as
 * `maximum` are omitted.
 */
export function shapeText(schema: OpenApiPart, indent = ''): string {
  const options = listOf(schema['anyOf'] ?? schema['oneOf']);
  if (options.length > 0) return [...new Set(options.map((option) => shapeText(option, indent)))].join(' | ');
  if (schema['const'] !== undefined) return literalText(schema['const']);
  if (Array.isArray(schema['enum'])) return schema['enum'].map(literalText).join(' | ');
  switch (schema['type']) {
    case 'array':
      return arrayText(shapeText(partOf(schema['items']), indent));
    case 'object':
      return objectText(schema, indent);
    case 'integer':
      return 'number';
    case undefined:
      return 'any';
    default:
      return Array.isArray(schema['type']) ? schema['type'].join(' | ') : String(schema['type']);
  }
}

function objectText({ properties, required, additionalProperties }: OpenApiPart, indent: string): string {
  const names = Object.entries(partOf(properties));
  const inner = `${indent}  `;
  if (names.length === 0) return `{ [name: string]: ${shapeText(partOf(additionalProperties), indent)} }`;
  const needed = new Set(Array.isArray(required) ? (required as readonly unknown[]) : []);
  const lines = names.map(([name, part]) => {
    const key = /^\w+$/.test(name) ? name : `'${name}'`;
    return `${key}${needed.has(name) ? '' : '?'}: ${shapeText(partOf(part), inner)}`;
  });
  const line = `{ ${lines.join('; ')} }`;
  if (line.length + indent.length <= LINE_LENGTH_MAX && !line.includes('\n')) return line;
  return `{\n${lines.map((text) => `${inner}${text};\n`).join('')}${indent}}`;
}

function arrayText(item: string): string {
  return item.includes(' | ') && !item.startsWith('{') ? `(${item})[]` : `${item}[]`;
}

function literalText(value: unknown): string {
  return typeof value === 'string' ? `'${value}'` : JSON.stringify(value);
}

function listOf(value: unknown): readonly OpenApiPart[] {
  return Array.isArray(value) ? (value as readonly OpenApiPart[]) : [];
}

function partOf(value: unknown): OpenApiPart {
  return typeof value === 'object' && value !== null ? (value as OpenApiPart) : {};
}
