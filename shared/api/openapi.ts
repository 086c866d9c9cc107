import { z } from 'zod';
import type { ErrorCode } from '../errors.ts';
import { COMMON_ERRORS, pathParameters, type Endpoint } from './endpoint.ts';
import { errorResponse, HTTP_STATUS } from './errors.ts';

/** A part of an OpenAPI document, such as a JSON Schema. */
export type OpenApiPart = Readonly<Record<string, unknown>>;

/**
 * The authentication schemes of the API. While the backend has no credentials, they are optional except for endpoints
 * with the scope `admin`.
 */
const SECURITY_SCHEMES = {
  basic: { type: 'http', scheme: 'basic' },
  key: { type: 'apiKey', in: 'header', name: 'Authorization', description: '`Key ` and the key' },
  token: { type: 'http', scheme: 'bearer' },
};
const SECURITY_REQUIREMENTS = Object.keys(SECURITY_SCHEMES).map((name) => ({ [name]: [] }));

const ERROR_REFERENCE = { $ref: '#/components/schemas/Error' };

/** Returns the OpenAPI 3.1 document that describes these endpoints. */
export function buildOpenApi(
  endpoints: Readonly<Record<string, Endpoint>>,
  { title, version }: { readonly title: string; readonly version: string },
): OpenApiPart {
  const paths: Record<string, Record<string, unknown>> = {};
  for (const [name, endpoint] of Object.entries(endpoints)) {
    const path = endpoint.path.replaceAll(/:(\w+)/g, '{$1}');
    (paths[path] ??= {})[endpoint.method.toLowerCase()] = operationOf(name, endpoint);
  }
  return {
    openapi: '3.1.0',
    info: { title, version, license: { name: 'MIT', identifier: 'MIT' } },
    servers: [{ url: '/' }],
    paths,
    components: { schemas: { Error: schemaOf(errorResponse) }, securitySchemes: SECURITY_SCHEMES },
  };
}

/** Converts a zod schema to JSON Schema. Rules that JSON Schema cannot express are omitted. */
export function schemaOf(schema: z.ZodType): OpenApiPart {
  const { $schema: _dialect, ...jsonSchema } = z.toJSONSchema(schema, { io: 'input', unrepresentable: 'any' });
  return jsonSchema;
}

/** True if a query parameter with this schema is required. */
export function isRequired(schema: z.ZodType): boolean {
  return !schema.safeParse(undefined).success;
}

/** Returns the credentials that an endpoint requires as text, such as `read` or `silence or resolve`. */
export function scopeText({ scope, isOfAllNamespaces }: Pick<Endpoint, 'scope' | 'isOfAllNamespaces'>): string {
  if (scope === 'public') return 'nothing';
  if (scope === 'authenticated') return 'any credentials';
  if (scope === 'self') return 'admin, or to be the user';
  const text = typeof scope === 'string' ? scope : scope.join(' or ');
  return isOfAllNamespaces === true ? `${text} in all namespaces` : text;
}

/** Returns all error codes of an endpoint, including `COMMON_ERRORS`, by their HTTP status. */
function errorsByStatus({ errors }: Pick<Endpoint, 'errors'>): ReadonlyMap<number, readonly ErrorCode[]> {
  return Map.groupBy([...errors, ...COMMON_ERRORS], (code) => HTTP_STATUS[code]);
}

function operationOf(name: string, endpoint: Endpoint): OpenApiPart {
  const { summary, query = {}, body, status, response } = endpoint;
  const failures = Array.from(errorsByStatus(endpoint), ([failure, codes]) => [
    String(failure),
    { description: codes.join(', '), content: jsonContent(ERROR_REFERENCE) },
  ]);
  return {
    operationId: name,
    summary,
    description: `Needs ${scopeText(endpoint)}.`,
    security: endpoint.scope === 'admin' ? SECURITY_REQUIREMENTS : [...SECURITY_REQUIREMENTS, {}],
    parameters: [
      ...pathParameters(endpoint).map((part) => ({
        name: part,
        in: 'path',
        required: true,
        schema: { type: 'string' },
      })),
      ...Object.entries(query).map(([parameter, schema]) => parameterOf(parameter, schema)),
    ],
    ...(body !== undefined && { requestBody: { required: true, content: jsonContent(schemaOf(body)) } }),
    responses: {
      [status]: { description: 'done', ...(response !== undefined && { content: jsonContent(schemaOf(response)) }) },
      ...Object.fromEntries(failures),
    },
  };
}

function parameterOf(name: string, schema: z.ZodType): OpenApiPart {
  const { description, ...jsonSchema } = schemaOf(schema);
  return {
    name,
    in: 'query',
    required: isRequired(schema),
    ...(description !== undefined && { description }),
    schema: jsonSchema,
  };
}

function jsonContent(schema: OpenApiPart): OpenApiPart {
  return { 'application/json': { schema } };
}
