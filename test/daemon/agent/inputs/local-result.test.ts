import { describe, expect, test } from 'vitest';
import { acceptLocalResults } from '../../../../daemon/agent/inputs/local-result.ts';
import type { SubmittedResult } from '../../../../shared/schemas/result.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const NOW = ManualClock.START_MS / 1000;

/** Processes a message of a local program, and returns its delivered results and the problem with the others. */
async function report(message: unknown): Promise<{ delivered: SubmittedResult[]; problem?: string }> {
  const delivered: SubmittedResult[] = [];
  const deliver = async (result: SubmittedResult): Promise<void> => {
    delivered.push(await Promise.resolve(result));
  };
  try {
    await acceptLocalResults(message, { clock: new ManualClock(), deliver });
    return { delivered };
  } catch (error) {
    return { delivered, problem: String(error) };
  }
}

describe('a result of a local program', () => {
  test('a local result without status and time gets the status OK and the current time', async () => {
    expect(await report({ name: 'backup', output: 'done' })).toEqual({
      delivered: [{ name: 'backup', output: 'done', status: 0, executed: NOW, issued: NOW }],
    });
  });

  test('a local result is delivered with all its attributes, but with the issue time that the agent sets', async () => {
    const result = { name: 'backup', output: '', status: 2, executed: 1, issued: 1, source: 'nas', ttl: 90, own: [1] };
    expect(await report(result)).toEqual({ delivered: [{ ...result, issued: NOW }] });
  });

  test('the name of the client in a local result becomes its source', async () => {
    const check = { name: 'backup', output: 'done' };
    expect((await report({ client: { name: 'nas' }, check })).delivered).toMatchObject([{ ...check, source: 'nas' }]);
  });

  test('tokens in a local result are not substituted', async () => {
    expect((await report({ name: 'a', output: ':::name:::' })).delivered).toMatchObject([{ output: ':::name:::' }]);
  });
});

describe('an array of local results', () => {
  test('the results of an array are delivered in order', async () => {
    const { delivered } = await report([
      { name: 'a', output: '1' },
      { name: 'b', output: '2' },
    ]);
    expect(delivered.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  test('the results of an array are delivered up to the first invalid item', async () => {
    const { delivered, problem } = await report([
      { name: 'a', output: '1' },
      { name: 'b b', output: '2' },
      { name: 'c', output: '3' },
    ]);
    expect(delivered.map(({ name }) => name)).toEqual(['a']);
    expect(problem).toBe('MonError: item 2: name: must be word characters, dots and hyphens only');
  });

  test('an empty array of local results is accepted', async () => {
    expect(await report([])).toEqual({ delivered: [] });
  });
});

const nested = (depth: number): unknown => (depth === 0 ? 1 : [nested(depth - 1)]);

test.each<{ message: unknown; problem: RegExp }>([
  { message: 5, problem: /expected object/ },
  { message: null, problem: /expected object/ },
  { message: {}, problem: /name: .*; output: / },
  { message: { name: 'a' }, problem: /output/ },
  { message: { name: 'a', output: 1 }, problem: /output/ },
  { message: { name: 'a', output: '', status: '2' }, problem: /status/ },
  { message: { name: 'a', output: '', status: 1.5 }, problem: /status/ },
  { message: { name: 'a', output: '', executed: 'now' }, problem: /executed/ },
  { message: { name: 'a', output: '', source: 'x y' }, problem: /source/ },
  { message: { name: 'a', output: '', handlers: 'mail' }, problem: /handlers/ },
  { message: { name: 'a', output: '', deep: nested(40) }, problem: /nested deeper than 32 levels/ },
  { message: JSON.parse('{"name": "a", "output": "", "x": {"__proto__": {}}}'), problem: /"__proto__" is not allowed/ },
])('an invalid local result is rejected with the problem $problem: %j', async ({ message, problem }) => {
  const answer = await report(message);
  expect(answer.delivered).toEqual([]);
  expect(answer.problem).toMatch(problem);
});
