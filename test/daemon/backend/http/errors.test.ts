import { createServer } from 'node:http';
import { fastify, type FastifyInstance } from 'fastify';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { sendError } from '../../../../daemon/backend/http/errors.ts';
import { startListening } from '../../../../daemon/backend/http/listen.ts';
import { MonError, type ErrorCode } from '../../../../shared/errors.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';

let app: FastifyInstance;
let log: RecordedLog;
beforeEach(() => {
  log = new RecordedLog();
  app = fastify();
  app.setErrorHandler((error, request, reply) => sendError(error, request, reply, log));
});
afterEach(() => app.close());

const failWith = async (error: unknown): Promise<{ status: number; body: string; headers: object }> => {
  app.get('/', () => {
    throw error;
  });
  const { statusCode: status, body, headers } = await app.inject('/');
  return { status, body, headers };
};

describe('the status, the text and the code of an error', () => {
  test.each<{ code: ErrorCode; status: number; headers?: object }>([
    { code: 'invalid', status: 400 },
    { code: 'unauthenticated', status: 401, headers: { 'www-authenticate': 'Basic realm="Restricted Area"' } },
    { code: 'forbidden', status: 403 },
    { code: 'not_found', status: 404 },
    { code: 'method_not_allowed', status: 405 },
    { code: 'conflict', status: 409 },
    { code: 'precondition', status: 412 },
    { code: 'threshold', status: 400 },
    { code: 'payment_required', status: 402 },
    { code: 'no_memory', status: 507 },
    { code: 'too_large', status: 413 },
    { code: 'unavailable', status: 503, headers: { 'retry-after': '1' } },
  ])('an error with the code $code has the HTTP status $status', async ({ code, status, headers = {} }) => {
    const answer = await failWith(new MonError(code, 'do this'));
    expect(answer).toMatchObject({ status, body: `{"error":"do this","code":"${code}"}`, headers });
    expect(log.records).toEqual([]);
  });

  test.each([
    new Error('a secret'),
    new MonError('internal', 'a secret'),
    Object.assign(new Error('x'), { statusCode: 200 }),
  ])('the message of an internal error is shown only in the log: %s', async (error) => {
    const answer = await failWith(error);
    expect(answer).toMatchObject({
      status: 500,
      body: '{"error":"internal error: see the log of the backend","code":"internal"}',
    });
    expect(log.messages('error')).toEqual(['request failed']);
    expect(log.records[0]?.fields).toMatchObject({ err: error, method: 'GET', path: '/' });
  });
});

describe('a listen address that cannot be used at the start', () => {
  test('a listen port that is in use is an error with a remedy', async () => {
    const url = new URL(await startListening(app, { bind: '127.0.0.1', port: 0 }, createServer));
    const other = fastify();
    const second = startListening(other, { bind: '127.0.0.1', port: Number(url.port) }, createServer);
    await expect(second).rejects.toMatchObject({
      code: 'conflict',
      message: `127.0.0.1:${url.port} is in use by another program: stop that program, or set another --port`,
    });
    await other.close();
  });

  test('a listen address of another machine is an error', async () => {
    await expect(startListening(app, { bind: '192.0.2.1', port: 0 }, createServer)).rejects.toMatchObject({
      code: 'invalid',
      message: expect.stringMatching(/^cannot listen on 192\.0\.2\.1:0: /) as string,
    });
  });
});
