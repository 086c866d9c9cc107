import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Endpoint } from '../../../shared/api/endpoint.ts';
import { isInexact } from '../../../shared/domain/attribute-limits.ts';
import { DEPTH_MAX, FORBIDDEN_NAMES, JsonTextError, parseJsonText } from '../../../shared/domain/json-text.ts';
import { JsonChunksError, parseJsonInChunks, SYNTAX_PROBLEM } from '../../../shared/domain/json-chunks.ts';
import {
  escapeRawControls,
  parseJsonWithRawControls,
  replaceEscapedSurrogates,
} from '../../../shared/domain/raw-control-characters.ts';
import { MonError } from '../../../shared/errors.ts';
import { problemsOf } from '../../../shared/schemas/problems.ts';
import { runInChunks } from '../store/time-slice.ts';
import { STASH_DEPTH_MAX } from './limits.ts';
import { matchedRoute } from './request.ts';

export interface ParsedBody {
  readonly value: unknown;
  /**
   * The same value, but with 0.5 added to every whole number that is written as a fraction (`1.0`, `1e3`). So a schema
   * that requires an integer rejects it, as Sensu does. Undefined in the usual case, if the body contains no such
   * number.
   */
  readonly strict: unknown;
}

/**
 * Matches a JSON value that can be a whole number written as a fraction, such as `1.0`. It also matches text inside
 * strings; the only cost of that is time.
 */
const INTEGER_AS_FRACTION = /[:[,]\s*-?\d+(?:\.0+(?!\d)|(?:\.\d+)?[eE])/;

/** Maximum length of an invalid body, in characters, that is parsed again to find the position of the error. */
const LOCATED_LENGTH_MAX = 64 * 1024;

/**
 * Parses the body of a request as JSON, whatever its content type: existing clients send JSON as a form, or without any
 * type (clients 1.1). If an object contains a name twice, the last value counts, as recorded from Sensu. Strings can
 * contain unescaped control characters.
 *
 * @param depthMax maximum nesting depth
 * @throws MonError `invalid` if the body is empty, is not JSON or contains values that are not allowed
 */
export function parseBody(request: FastifyRequest, depthMax = DEPTH_MAX): ParsedBody {
  const { body, parseChunkedBody: chunkedBody } = request;
  if (chunkedBody !== undefined) return chunkedBody(depthMax);
  if (typeof body !== 'string' || body.trim() === '') {
    throw new MonError('invalid', 'the body is empty: send JSON');
  }
  const value = parseText(body);
  refuseHazards(value, 1, depthMax, !isBatch(body));
  return { value, strict: INTEGER_AS_FRACTION.test(body) ? parseStrictly(body) : undefined };
}

/**
 * Minimum length, in characters, from which on a body is parsed in chunks before its route handles the request. Parsing
 * a shorter body takes at most a few milliseconds.
 */
const CHUNKED_LENGTH_MIN = 64 * 1024;

/** Maximum nesting depth that any route accepts in a body. */
const ANY_DEPTH_MAX = Math.max(STASH_DEPTH_MAX, 2 * DEPTH_MAX);

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * Returns the parsed value of a large request body that was parsed in chunks. The property is undefined if the body
     * is short, or there is none.
     *
     * @throws MonError `invalid` for a body that is nested deeper than `depthMax`, or cannot be parsed
     */
    parseChunkedBody: ((depthMax: number) => ParsedBody) | undefined;
  }
}

/**
 * Adds a hook that parses large request bodies in chunks before their routes handle them. So parsing does not block the
 * event loop (security S7).
 */
export function parseLongBodies(app: FastifyInstance): void {
  app.decorateRequest('chunkedBody');
  app.addHook('preHandler', (request, _reply, done) => {
    const { body } = request;
    const isRaw = matchedRoute(request).hasRawBody === true;
    if (isRaw || typeof body !== 'string' || body.length < CHUNKED_LENGTH_MIN) {
      done();
      return;
    }
    const parsed = (chunkedBody: NonNullable<FastifyRequest['parseChunkedBody']>): void => {
      request.parseChunkedBody = chunkedBody;
      // The text of the body is released, because it is no longer needed.
      request.body = undefined;
      done();
    };
    parseInChunks(body).then(parsed, done);
  });
}

/**
 * Parses a large request body in chunks. The returned function throws the errors of parsing, so that they are reported
 * only when a route reads the body.
 */
async function parseInChunks(text: string): Promise<NonNullable<FastifyRequest['parseChunkedBody']>> {
  let deepest = 0;
  const isEachExact = !isBatch(text);
  const options = {
    depthMax: ANY_DEPTH_MAX,
    inspect: (value: unknown, depth: number, names: readonly string[]) => {
      deepest = Math.max(
        deepest,
        refuseHazards(value, depth, ANY_DEPTH_MAX, isEachExact && !names.includes(METRICS_ATTRIBUTE)),
      );
    },
    strictly: (run: string) => (INTEGER_AS_FRACTION.test(run) ? parseStrictly(run) : undefined),
  };
  try {
    const parsed = await runInChunks(parseJsonInChunks(text, options));
    const { value } = parsed;
    const strict = parsed.strict === value ? undefined : parsed.strict;
    return (depthMax) => {
      if (deepest > depthMax) throw tooDeep(depthMax);
      return { value, strict };
    };
  } catch (error) {
    const refusal =
      error instanceof JsonChunksError
        ? new MonError('invalid', `the body ${error.message}${chunksErrorPosition(error, text)}`)
        : error;
    return () => {
      throw refusal;
    };
  }
}

/**
 * Parses and validates the body of a request.
 *
 * @throws MonError `invalid`
 */
export function readBody<T>(request: FastifyRequest, validate: (value: unknown) => T, depthMax?: number): T {
  return validateParsedBody(parseBody(request, depthMax), validate);
}

/**
 * Validates the parsed value of a body, and also the strict form of the value if there is one.
 *
 * @throws MonError `invalid`
 */
export function validateParsedBody<T>({ value, strict }: ParsedBody, validate: (value: unknown) => T): T {
  if (strict !== undefined) validate(strict);
  return validate(value);
}

/**
 * Returns a function that validates values with a schema and returns the parsed value. It throws MonError `invalid`
 * with a message that names each invalid field.
 */
export function schemaValidator<T>(schema: z.ZodType<T>): (value: unknown) => T {
  return (value) => {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw new MonError('invalid', problemsOf(parsed.error));
  };
}

/** Returns a function that validates bodies with the schema of an endpoint, with the errors of `schemaValidator`. */
export function bodyValidator<Body>({ body, path }: Endpoint<Body>): (value: unknown) => Body {
  if (body === undefined) throw new Error(`${path} accepts no body`);
  return schemaValidator(body);
}

function parseText(text: string): unknown {
  try {
    return parseJsonWithRawControls(text);
  } catch (error) {
    throw new MonError('invalid', `the body is not JSON${errorPosition(text)}`, { cause: error });
  }
}

/**
 * Returns the position of a syntax error in the body as text. Returns an empty string for other errors, whose messages
 * are sufficient.
 */
function chunksErrorPosition({ message }: JsonChunksError, text: string): string {
  return message === SYNTAX_PROBLEM ? errorPosition(text) : '';
}

function errorPosition(text: string): string {
  if (text.length > LOCATED_LENGTH_MAX) return '';
  try {
    parseJsonText(text);
    return '';
  } catch (error) {
    if (!(error instanceof JsonTextError)) throw error;
    return `, line ${String(error.line)}, column ${String(error.column)}: ${error.message}`;
  }
}

function parseStrictly(text: string): unknown {
  const value: unknown = JSON.parse(
    escapeRawControls(text),
    (_name, item: unknown, context?: { readonly source?: string }) =>
      Number.isInteger(item) && /[.eE]/.test(context?.source ?? '') ? Number(item) + 0.5 : item,
  );
  return replaceEscapedSurrogates(text, value);
}

/** True if the body is a JSON array: a list of results or alerts, each of which is accepted or rejected by itself. */
function isBatch(text: string): boolean {
  return text.trimStart().startsWith('[');
}

/** The name of the attribute with measurements; numbers in it can be rounded (security S8). */
const METRICS_ATTRIBUTE = 'metrics';

/**
 * Rejects JSON that is not allowed in any body: excessive nesting, names with a meaning in JavaScript, and numbers that
 * cannot be represented.
 *
 * @param isExact false if whole numbers are allowed to be rounded
 * @returns the maximum nesting depth
 */
function refuseHazards(value: unknown, depth: number, depthMax: number, isExact = true): number {
  if (typeof value === 'number' && !Number.isFinite(value)) {
    throw new MonError('invalid', 'the body contains a number that is too large');
  }
  if (isExact && isInexact(value)) {
    throw new MonError('invalid', 'the body contains a whole number beyond 2^53: put it in double quotes');
  }
  if (typeof value !== 'object' || value === null) return depth - 1;
  if (depth > depthMax) throw tooDeep(depthMax);
  let deepest = depth;
  if (Array.isArray(value)) {
    for (const item of value) deepest = Math.max(deepest, refuseHazards(item, depth + 1, depthMax, isExact));
    return deepest;
  }
  // A for-in loop yields only own names here, because values parsed from JSON inherit no enumerable properties.
  for (const name in value) {
    if (FORBIDDEN_NAMES.has(name)) throw new MonError('invalid', `the field name "${name}" is not allowed`);
    const member = (value as Readonly<Record<string, unknown>>)[name];
    deepest = Math.max(deepest, refuseHazards(member, depth + 1, depthMax, isExact && name !== METRICS_ATTRIBUTE));
  }
  return deepest;
}

function tooDeep(depthMax: number): MonError {
  return new MonError('invalid', `the body is nested deeper than ${String(depthMax)} levels`);
}
