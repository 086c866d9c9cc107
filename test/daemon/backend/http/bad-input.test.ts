import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest';
import { ManualClock } from '../../../support/manual-clock.ts';
import { send, type Answer } from '../../../support/raw-http.ts';
import { startBackend, type RunningBackend } from '../../../support/running-backend.ts';

let backend: RunningBackend;
beforeAll(async () => {
  backend = await startBackend();
});
afterAll(() => backend[Symbol.asyncDispose]());

const post = (target: string, body: string): Promise<Answer> => send(backend.url, { method: 'POST', target, body });

const result = (rest: string): string => `{"name":"a","output":"o",${rest}}`;
const withOutput = (length: number): string => `{"name":"a","output":"${'x'.repeat(length)}"}`;
const bodyOf = (length: number): string => withOutput(length - withOutput(0).length);
const nested = (depth: number): string => `${'['.repeat(depth)}${']'.repeat(depth)}`;

describe('a rejected body', () => {
  test.each([
    { name: 'empty', body: '', error: 'the body is empty: send JSON' },
    {
      name: 'cut off',
      body: '{"name":',
      error: 'the body is not JSON, line 1, column 9: the text ends where a value is expected',
    },
    {
      name: 'with single quotes',
      body: "{'name':'a'}",
      error: 'the body is not JSON, line 1, column 2: expected a name in double quotes',
    },
    {
      name: 'with text after the JSON',
      body: '{} x',
      error: 'the body is not JSON, line 1, column 4: expected nothing more after the value',
    },
    { name: 'no object', body: '[]', error: 'expected object, received array' },
    { name: 'null', body: 'null', error: 'expected object, received null' },
    {
      name: 'without an attribute',
      body: '{"name":"a"}',
      error: 'output: expected string, received undefined',
    },
    {
      name: 'with an attribute of the wrong type',
      body: result('"status":"0"'),
      error: 'status: expected number, received string',
    },
    { name: 'with a fraction as status', body: result('"status":1.5'), error: 'status: expected int, received number' },
    {
      name: 'with 1.0 as status',
      body: result('"status":1.0'),
      error: 'status: expected int, received number',
    },
    {
      name: 'with an exponent in the status',
      body: result('"status":1e0'),
      error: 'status: expected int, received number',
    },
    {
      name: 'with a number beyond the range',
      body: result('"x":1e999'),
      error: 'the body contains a number that is too large',
    },
    { name: '33 levels', body: result(`"x":${nested(32)}`), error: 'the body is nested deeper than 32 levels' },
    {
      name: 'the name __proto__',
      body: result('"x":[{"__proto__":{}}]'),
      error: 'the field name "__proto__" is not allowed',
    },
    {
      name: 'the name __proto__ in escapes',
      body: result('"\\u005f_proto__":1'),
      error: 'the field name "__proto__" is not allowed',
    },
    {
      name: 'the name constructor',
      body: result('"constructor":1'),
      error: 'the field name "constructor" is not allowed',
    },
    {
      name: 'the name prototype',
      body: result('"x":{"prototype":1}'),
      error: 'the field name "prototype" is not allowed',
    },
    {
      name: 'with several errors at once',
      body: '{"name":"a b","output":1}',
      error: 'name: must be word characters, dots and hyphens only; output: expected string, received number',
    },
  ])('POST /results with a body that has an error is rejected with the reason: $name', async ({ body, error }) => {
    const { status, body: answer } = await post('/results', body);
    expect({ status, answer }).toEqual({ status: 400, answer: { error, code: 'invalid' } });
  });

  test.each([
    { target: '/silenced', body: '{}', error: 'at least one of subscription and check is required' },
    {
      target: '/silenced',
      body: '{"check":"a","expire":-2}',
      error: 'expire: must be seconds, or -1 for what never expires',
    },
    {
      target: '/silenced',
      body: '{"check":"a","expire":60.0}',
      error: 'expire: expected int, received number',
    },
    { target: '/silenced/clear', body: '{}', error: 'one of id, subscription and check is required' },
    { target: '/resolve', body: '{"client":"a"}', error: 'check: expected string, received undefined' },
    {
      target: '/clients',
      body: '{"name":"a","address":1}',
      error: 'address: expected string, received number',
    },
    { target: '/api/mon/v1/results', body: '{}', error: 'the body must be an array of results' },
  ])('POST $target with the body $body is rejected with a reason', async ({ target, body, error }) => {
    const { status, body: answer } = await post(target, body);
    expect({ status, answer }).toEqual({ status: 400, answer: { error, code: 'invalid' } });
  });
});

describe('an accepted body', () => {
  test.each([
    { name: 'with 32 levels', body: result(`"x":${nested(31)}`) },
    { name: 'with fractions in attributes that allow any number', body: result('"duration":1.0,"x":[1e3]') },
    { name: 'with texts that look like fractions', body: result('"x":"[1.0,1e3]","status":1') },
    { name: 'with a duplicate name, whose last value counts', body: '{"name":"a b","name":"a","output":"o"}' },
    { name: 'with the largest exact integer', body: result('"x":9007199254740991') },
    { name: 'with unescaped newlines and tabs in a text', body: result('"x":"one\ttwo\nthree"') },
    {
      name: 'with unescaped newlines beside a fraction such as 1.0',
      body: result('"duration":1.0,"x":"one\ttwo\nthree"'),
    },
    { name: 'with bytes that are not UTF-8', body: result('"x":"\uD800"') },
  ])('POST /results with a valid body is accepted: $name', async ({ body }) => {
    expect((await post('/results', body)).status).toBe(202);
  });
});

test('unescaped newlines in an output are stored as they were sent', async () => {
  await post('/results', '{"name":"shell","source":"helper","output":"one\ttwo\nthree\n"}');
  const { body } = await send(backend.url, { method: 'GET', target: '/results/helper/shell' });
  expect(body).toMatchObject({ check: { output: 'one\ttwo\nthree\n' } });
});

describe('the limits of a body', () => {
  test('the body of a single result may have 1 MiB and no more', async () => {
    expect((await post('/results', bodyOf(1024 * 1024))).status).toBe(202);
    const refused = await post('/results', bodyOf(1024 * 1024 + 1));
    expect(refused).toMatchObject({
      status: 413,
      body: { error: 'the body is larger than 1 MiB: send less', code: 'too_large' },
    });
  });

  test('the body of an array of results may have 16 MiB and no more', async () => {
    const item = withOutput(1024 * 1024);
    expect((await post('/api/mon/v1/results', `[${item},${item}]`)).status).toBe(202);
    const refused = await post('/api/mon/v1/results', `[${Array.from({ length: 16 }, () => item).join(',')}]`);
    expect(refused).toMatchObject({ status: 413, body: { error: 'the body is larger than 16 MiB: send less' } });
  });

  test('a full queue makes POST /results return 503 with the time after which to retry', async () => {
    const clock = new ManualClock();
    await using busy = await startBackend({ clock, batcher: { queueLimit: 1 } });
    const submit = (): Promise<Answer> =>
      send(busy.url, { method: 'POST', target: '/results', body: '{"name":"a","output":"o"}' });
    const first = submit();
    await vi.waitFor(async () => {
      const { body } = await send(busy.url, { method: 'GET', target: '/info' });
      expect(body).toMatchObject({ transport: { results: { messages: 1 } } });
    });
    expect(await submit()).toMatchObject({
      status: 503,
      headers: { 'retry-after': '1' },
      body: { error: 'the result queue is full: try again in a second', code: 'unavailable' },
    });
    clock.advance(10);
    expect((await first).status).toBe(202);
  });
});

test('the error for an unknown path names the path', async () => {
  expect(await post('/stash?x=1', 'not even JSON')).toMatchObject({
    status: 404,
    body: { error: 'there is no endpoint POST /stash' },
  });
});
