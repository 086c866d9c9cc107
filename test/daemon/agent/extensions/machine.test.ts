import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import type { ExtensionResult } from '../../../../daemon/agent/extensions/extension.ts';
import { findExtension } from '../../../../daemon/agent/extensions/find-extension.ts';
import { pagesToBytes } from '../../../../daemon/agent/extensions/memory.ts';

async function find(name: string, parameters?: unknown): Promise<ExtensionResult> {
  const extension = findExtension(name);
  if (extension === undefined) throw new Error(`there is no built-in check ${name}`);
  return await extension.run(parameters, { signal: new AbortController().signal });
}

describe.each<{ name: string; line: RegExp; metParameters: object; exceededParameters: object }>([
  {
    name: 'disk',
    line: /^DISK \w+ - \/ is \d+\.\d% full, \d+\.\d GiB free(; \d+\.\d% of the inodes in use)? \(warning at [\d.-]+%, critical at [\d.-]+%\)$/,
    metParameters: { warning: -2, critical: -1 },
    exceededParameters: { warning: 101, critical: 102 },
  },
  {
    name: 'memory',
    line: /^MEMORY \w+ - \d+\.\d% in use: \d+\.\d of \d+\.\d GiB \(warning at [\d.-]+%, critical at [\d.-]+%\)$/,
    metParameters: { warning: -2, critical: -1 },
    exceededParameters: { warning: 101, critical: 102 },
  },
  {
    name: 'load',
    line: /^LOAD \w+ - \d+\.\d\d per core over 5 minutes, on \d+ cores? \(warning at [\d.-]+, critical at [\d.-]+\)$/,
    metParameters: { warning: -2, critical: -1 },
    exceededParameters: { warning: 10_000, critical: 10_001 },
  },
])('the built-in check $name', ({ name, line, metParameters, exceededParameters }) => {
  test('a built-in check returns one line that contains its thresholds', async () => {
    expect((await find(name)).output).toMatch(line);
  });

  test('a built-in check is OK below its thresholds, and a warning or critical once a threshold is reached', async () => {
    expect(await find(name, exceededParameters)).toMatchObject({ status: 0, output: expect.stringMatching(/ OK - /) });
    expect(await find(name, { ...exceededParameters, ...metParameters, critical: 1e6 })).toMatchObject({
      status: 1,
      output: expect.stringMatching(/ WARNING - /),
    });
    expect(await find(name, metParameters)).toMatchObject({ status: 2, output: expect.stringMatching(/ CRITICAL - /) });
  });

  test('a built-in check accepts thresholds that are numbers in quotes, as token substitution writes them', async () => {
    expect((await find(name, { warning: '1e5', critical: '1e6' })).status).toBe(0);
  });

  test('a built-in check with invalid attributes returns the status unknown', async () => {
    expect(await find(name, { warning: 'many' })).toEqual({
      status: 3,
      output: expect.stringMatching(
        /UNKNOWN - the attribute "\w+" of the check is not valid: warning: expected number/,
      ),
    });
    expect(await find(name, { warnign: 5 })).toMatchObject({ status: 3, output: expect.stringContaining('"warnign"') });
    expect(await find(name, 'fast')).toMatchObject({ status: 3 });
  });
});

test('the disk check returns the status unknown for a missing path', async () => {
  expect(await find('disk', { path: '/no/such/place' })).toMatchObject({
    status: 3,
    output: expect.stringMatching(/^DISK UNKNOWN - ENOENT/),
  });
});

test('the load check averages over the configured number of minutes', async () => {
  expect((await find('load', { minutes: 1 })).output).toContain('over 1 minute,');
  expect((await find('load', { minutes: '15' })).output).toContain('over 15 minutes,');
  expect(await find('load', { minutes: 2 })).toMatchObject({ status: 3 });
});

test('the memory check does not count memory that macOS can free at once as used', () => {
  const text = [
    'Mach Virtual Memory Statistics: (page size of 16384 bytes)',
    'Pages free:                               10.',
    'Pages active:                            500.',
    'Pages inactive:                           20.',
    'Pages speculative:                         3.',
    'Pages wired down:                        100.',
    'Pages purgeable:                           7.',
  ].join('\n');
  expect(pagesToBytes(text)).toBe(40 * 16_384);
});

async function run(): Promise<string> {
  const mark = `mark-${String(process.pid)}-${String(Math.random()).slice(2)}`;
  // The shell waits with a built-in command. A child process would show the same mark until it executes another
  // program.
  const child = spawn('/bin/sh', ['-c', 'read -r line; :', mark], {
    stdio: ['pipe', 'ignore', 'ignore'],
    detached: true,
  });
  await once(child, 'spawn');
  onTestFinished(() => {
    if (child.pid !== undefined) process.kill(-child.pid, 'SIGKILL');
  });
  return mark;
}

describe('process', () => {
  test('the process check counts processes whose command line contains a text', async () => {
    const mark = await run();
    expect(await find('process', { contains: mark })).toEqual({
      status: 0,
      output: `PROCESS OK - 1 process with "${mark}" in the command line (at least 1 must run)`,
    });
    expect(await find('process', { contains: mark, min: 2 })).toMatchObject({ status: 2 });
    expect(await find('process', { contains: mark, min: 0, max: 0 })).toEqual({
      status: 2,
      output: `PROCESS CRITICAL - 1 process with "${mark}" in the command line (at least 0, at most 0 must run)`,
    });
  });

  test('the process check counts processes by the exact name of their program', async () => {
    const mark = await run();
    expect(await find('process', { name: 'sh', contains: mark })).toMatchObject({ status: 0 });
    expect(await find('process', { name: 's', contains: mark })).toMatchObject({ status: 2 });
  });

  test('the process check does not count the agent that runs it', async () => {
    expect(await find('process', { contains: 'no-such-thing-anywhere' })).toEqual({
      status: 2,
      output: 'PROCESS CRITICAL - 0 processes with "no-such-thing-anywhere" in the command line (at least 1 must run)',
    });
  });

  test('the process check without a name or a text returns the status unknown', async () => {
    expect(await find('process', {})).toMatchObject({
      status: 3,
      output: expect.stringContaining('set "name" or "contains"'),
    });
  });
});

test('an unknown name of a built-in check finds no built-in check', () => {
  expect(findExtension('system_profile')).toBeUndefined();
  expect(findExtension('toString')).toBeUndefined();
});
