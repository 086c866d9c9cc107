import { expect, test } from 'vitest';
import { z } from 'zod';
import { createLog, type LogLevel } from '../../../daemon/log/log.ts';

function logLines(level: LogLevel, write: (log: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = [];
  write(createLog({ component: 'agent', level, destination: { write: (line) => lines.push(line) } }));
  return lines;
}

const parse = (line: string): Record<string, unknown> => z.record(z.string(), z.unknown()).parse(JSON.parse(line));

test('a record is one JSON line that opens with timestamp, level and message', () => {
  const [line = ''] = logLines('info', (log) => log.info({ check: 'disk', status: 2 }, 'check finished'));
  expect(line.endsWith('\n')).toBe(true);
  expect(Object.keys(parse(line))).toEqual(['timestamp', 'level', 'message', 'component', 'check', 'status']);
  expect(parse(line)).toMatchObject({
    level: 'info',
    message: 'check finished',
    component: 'agent',
    check: 'disk',
    status: 2,
  });
  expect(line).toMatch(/^\{"timestamp":"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}[+-]\d{4}"/);
});

test('levels below the threshold are silent', () => {
  const lines = logLines('warn', (log) => {
    log.debug({}, 'a');
    log.info({}, 'b');
    log.warn({}, 'c');
    log.error({}, 'd');
  });
  expect(lines.map((line) => parse(line)['message'])).toEqual(['c', 'd']);
});

test('no field can take the place of the level or the message', () => {
  const [line = ''] = logLines('info', (log) => log.info({ message: 'spoofed', level: 'debug' }, 'the truth'));
  expect(parse(line)).toMatchObject({ level: 'info', message: 'the truth' });
});

test('line breaks and control characters cannot forge a second line', () => {
  const [line = '', ...more] = logLines('info', (log) => log.info({ output: 'x\n{"level":"error"}\u001b[2J' }, 'a\nb'));
  expect(more).toEqual([]);
  expect(line.trimEnd()).not.toContain('\n');
  expect(line).not.toContain('\u001b');
});

test('a long text is cut', () => {
  const [line = ''] = logLines('info', (log) => log.info({ output: 'x'.repeat(100_000) }, 'm'));
  expect(line.length).toBeLessThan(5000);
});

test('an error shows its type, message and stack', () => {
  const [line = ''] = logLines('error', (log) => log.error({ err: new TypeError('boom') }, 'failed'));
  expect(parse(line)).toMatchObject({ err: { type: 'TypeError', message: 'boom' } });
});
