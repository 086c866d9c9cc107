import { describe, expect, test } from 'vitest';
import { acceptLocalResults } from '../../../../daemon/agent/inputs/local-result.ts';
import type { SubmittedResult } from '../../../../shared/schemas/result.ts';
import { ManualClock } from '../../../support/manual-clock.ts';

const NOW = ManualClock.START_MS / 1000;

/** Returns the delivered results, and the problem with the others. */
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
  test('is OK and executed now unless it says otherwise', async () => {
    expect(await report({ name: 'backup', output: 'done' })).toEqual({
      delivered: [{ name: 'backup', output: 'done', status: 0, executed: NOW, issued: NOW }],
    });
  });

  test('keeps its attributes; when it was issued is ours to say', async () => {
    const result = { name: 'backup', output: '', status: 2, executed: 1, issued: 1, source: 'nas', ttl: 90, own: [1] };
    expect(await report(result)).toEqual({ delivered: [{ ...result, issued: NOW }] });
  });

  test('may come with its client, whose name is its source', async () => {
    const check = { name: 'backup', output: 'done' };
    expect((await report({ client: { name: 'nas' }, check })).delivered).toMatchObject([{ ...check, source: 'nas' }]);
  });

  test('may hold tokens, which mean nothing there', async () => {
    expect((await report({ name: 'a', output: ':::name:::' })).delivered).toMatchObject([{ output: ':::name:::' }]);
  });
});

describe('an array', () => {
  test('is that many results in order', async () => {
    const { delivered } = await report([
      { name: 'a', output: '1' },
      { name: 'b', output: '2' },
    ]);
    expect(delivered.map(({ name }) => name)).toEqual(['a', 'b']);
  });

  test('counts up to its first bad item', async () => {
    const { delivered, problem } = await report([
      { name: 'a', output: '1' },
      { name: 'b b', output: '2' },
      { name: 'c', output: '3' },
    ]);
    expect(delivered.map(({ name }) => name)).toEqual(['a']);
    expect(problem).toBe('MonError: item 2: name: must be word characters, dots and hyphens only');
  });

  test('may be empty', async () => {
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
])('$problem is the problem of %j', async ({ message, problem }) => {
  const answer = await report(message);
  expect(answer.delivered).toEqual([]);
  expect(answer.problem).toMatch(problem);
});
