import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { z } from 'zod';
import type { Endpoint } from '../../../shared/api/endpoint.ts';
import { isInexact } from '../../../shared/domain/attribute-limits.ts';
import { DEPTH_MAX, FORBIDDEN_NAMES, JsonTextError, parseJsonText } from '../../../shared/domain/json-text.ts';
import { JsonChunksError, parseJsonInChunks, SYNTAX_PROBLEM } from '../../../shared/domain/json-chunks.ts';
import {
  escapeRawControls,
  parseJsonWithRawControls,
  wellFormedIfEscaped,
} from '../../../shared/domain/raw-control-characters.ts';
import { MonError } from '../../../shared/errors.ts';
import { problemsOf } from '../../../shared/schemas/problems.ts';
import { inChunks } from '../store/loop-turn.ts';
import { STASH_DEPTH_MAX } from './limits.ts';

export interface ParsedBody {
  readonly value: unknown;
  /**
   * The same with every number that is written as a fraction but is whole (`1.0`, `1e3`) off by a half, so that a schema
   * refuses it where it asks for an integer, as the peer does. Undefined: there is none, which is the usual case.
   */
  readonly strict: unknown;
}

/** A whole number in the writing of a fraction, where a value stands; texts may match too, which only costs time. */
const WHOLE_FRACTION = /[:[,]\s*-?\d+(?:\.0+(?!\d)|(?:\.\d+)?[eE])/;

/** Longest text that is read again to say where it is wrong. */
const LOCATED_LENGTH_MAX = 64 * 1024;

/**
 * The body as JSON, whatever its content type: existing clients send it as a form, or without any (clients 1.1).
 * A name that comes twice counts the last time, as recorded. Texts may hold control characters as they are.
 *
 * @param depthMax deepest nesting
 * @throws MonError `invalid`
 */
export function parseBody(request: FastifyRequest, depthMax = DEPTH_MAX): ParsedBody {
  const { body, chunkedBody } = request;
  if (chunkedBody !== undefined) return chunkedBody(depthMax);
  if (typeof body !== 'string' || body.trim() === '') {
    throw new MonError('invalid', 'the body is empty: send JSON');
  }
  const value = parse(body);
  refuseHazards(value, 1, depthMax, !isBatch(body));
  return { value, strict: WHOLE_FRACTION.test(body) ? parseStrictly(body) : undefined };
}

/** Bodies of this length are parsed in chunks, in advance. Shorter ones take a few milliseconds, whatever they hold. */
const CHUNKED_LENGTH_MIN = 64 * 1024;

/** Deepest nesting that any route takes. */
const ANY_DEPTH_MAX = Math.max(STASH_DEPTH_MAX, 2 * DEPTH_MAX);

declare module 'fastify' {
  interface FastifyRequest {
    /**
     * The body that was parsed in chunks, for `parseBody`; undefined: it is short.
     *
     * @throws MonError `invalid` for a body that is deeper, or cannot be parsed
     */
    chunkedBody: ((depthMax: number) => ParsedBody) | undefined;
  }
}

/**
 * Has long bodies parsed in chunks before their routes handle them: none of them holds the event loop (security S7).
 */
export function parseLongBodies(app: FastifyInstance): void {
  app.decorateRequest('chunkedBody');
  app.addHook('preHandler', (request, _reply, done) => {
    const { body } = request;
    if (typeof body !== 'string' || body.length < CHUNKED_LENGTH_MIN) {
      done();
      return;
    }
    const parsed = (chunkedBody: NonNullable<FastifyRequest['chunkedBody']>): void => {
      request.chunkedBody = chunkedBody;
      // Only what it was parsed to is needed from here on.
      request.body = undefined;
      done();
    };
    parseInChunks(body).then(parsed, done);
  });
}

/** Whoever wants the body hears what is wrong with it; routes without a body do not. */
async function parseInChunks(text: string): Promise<NonNullable<FastifyRequest['chunkedBody']>> {
  let deepest = 0;
  const isEachExact = !isBatch(text);
  const options = {
    depthMax: ANY_DEPTH_MAX,
    inspect: (value: unknown, depth: number, names: readonly string[]) => {
      deepest = Math.max(deepest, refuseHazards(value, depth, ANY_DEPTH_MAX, isEachExact && !names.includes(MEASURED)));
    },
    strictly: (run: string) => (WHOLE_FRACTION.test(run) ? parseStrictly(run) : undefined),
  };
  try {
    const parsed = await inChunks(parseJsonInChunks(text, options));
    const { value } = parsed;
    const strict = parsed.strict === value ? undefined : parsed.strict;
    return (depthMax) => {
      if (deepest > depthMax) throw tooDeep(depthMax);
      return { value, strict };
    };
  } catch (error) {
    const refusal =
      error instanceof JsonChunksError
        ? new MonError('invalid', `the body ${error.message}${placeIn(error, text)}`)
        : error;
    return () => {
      throw refusal;
    };
  }
}

/** @throws MonError `invalid` */
export function readBody<T>(request: FastifyRequest, validate: (value: unknown) => T, depthMax?: number): T {
  return validateBoth(parseBody(request, depthMax), validate);
}

/** @throws MonError `invalid` */
export function validateBoth<T>({ value, strict }: ParsedBody, validate: (value: unknown) => T): T {
  if (strict !== undefined) validate(strict);
  return validate(value);
}

/** @throws MonError `invalid` naming each place that is wrong */
export function validator<T>(schema: z.ZodType<T>): (value: unknown) => T {
  return (value) => {
    const parsed = schema.safeParse(value);
    if (parsed.success) return parsed.data;
    throw new MonError('invalid', problemsOf(parsed.error));
  };
}

/**
 * Reads the body of an endpoint as its table has it; what it returns throws as `validator` does.
 */
export function bodyValidator<Body>({ body, path }: Endpoint<Body>): (value: unknown) => Body {
  if (body === undefined) throw new Error(`${path} takes no body`);
  return validator(body);
}

function parse(text: string): unknown {
  try {
    return parseJsonWithRawControls(text);
  } catch (error) {
    throw new MonError('invalid', `the body is not JSON${placeOfError(text)}`, { cause: error });
  }
}

/** The place is only looked for where the message does not name what is wrong. */
function placeIn({ message }: JsonChunksError, text: string): string {
  return message === SYNTAX_PROBLEM ? placeOfError(text) : '';
}

function placeOfError(text: string): string {
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
  return wellFormedIfEscaped(text, value);
}

/** Returns true for a list of results or alerts, each of which is accepted or rejected by itself. */
function isBatch(text: string): boolean {
  return text.trimStart().startsWith('[');
}

/** The name of what is measured, whose numbers may be rounded (security S8). */
const MEASURED = 'metrics';

/**
 * Refuses what JSON allows and nobody may send: depth without end, names with a meaning to the language, numbers that
 * cannot be kept.
 *
 * @returns the deepest level
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
  // Nothing is inherited by what was read from JSON.
  for (const name in value) {
    if (FORBIDDEN_NAMES.has(name)) throw new MonError('invalid', `the name "${name}" is not allowed`);
    const member = (value as Readonly<Record<string, unknown>>)[name];
    deepest = Math.max(deepest, refuseHazards(member, depth + 1, depthMax, isExact && name !== MEASURED));
  }
  return deepest;
}

function tooDeep(depthMax: number): MonError {
  return new MonError('invalid', `the body is nested deeper than ${String(depthMax)} levels`);
}
