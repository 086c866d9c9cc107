import { expect, test } from 'vitest';
import { z } from 'zod';
import { createLog, type RequestFields } from '../../../daemon/log/log.ts';
import type { LogLevel } from '../../../shared/schemas/settings.ts';

function logLines(level: LogLevel, write: (log: ReturnType<typeof createLog>) => void): string[] {
  const lines: string[] = [];
  write(createLog({ component: 'agent', level, destination: { write: (line) => lines.push(line) } }));
  return lines;
}

const parse = (line: string): Record<string, unknown> => z.record(z.string(), z.unknown()).parse(JSON.parse(line));

test('a log record is one JSON line that begins with timestamp, level and message', () => {
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

test('log records below the log level are not written', () => {
  const lines = logLines('warn', (log) => {
    log.debug({}, 'a');
    log.info({}, 'b');
    log.warn({}, 'c');
    log.error({}, 'd');
  });
  expect(lines.map((line) => parse(line)['message'])).toEqual(['c', 'd']);
});

test('no field of a log record can replace its level or its message', () => {
  const [line = ''] = logLines('info', (log) => log.info({ message: 'spoofed', level: 'debug' }, 'the truth'));
  expect(parse(line)).toMatchObject({ level: 'info', message: 'the truth' });
});

test('line breaks and control characters in a text cannot forge a second log line', () => {
  const [line = '', ...more] = logLines('info', (log) => log.info({ output: 'x\n{"level":"error"}\u001b[2J' }, 'a\nb'));
  expect(more).toEqual([]);
  expect(line.trimEnd()).not.toContain('\n');
  expect(line).not.toContain('\u001b');
});

test('a log line contains no characters that control a terminal, and its parsed texts are unchanged', () => {
  const hostile = 'a\u007fb\u0085c\u009b2Jd\u202ee\u2066f\u2028g\u2029h\u200fi\u061cj';
  const [line = ''] = logLines('info', (log) => log.info({ client: hostile, [hostile]: [hostile] }, hostile));
  expect(line).toMatch(/^[ -~]+\n$/);
  expect(parse(line)).toMatchObject({ client: hostile, [hostile]: [hostile], message: hostile });
});

test('long lists and their items are truncated in the log', () => {
  const long = 'x'.repeat(10_000);
  const [line = ''] = logLines('info', (log) => {
    const deep = { a: { a: { a: { a: { a: { a: { a: 1 } } } } } } };
    log.info(
      { names: Array.from({ length: 1000 }, (_, at) => at), texts: [long, { long }, long, long, long], deep },
      'm',
    );
  });
  const { names, texts, deep } = parse(line) as { names: unknown[]; texts: unknown; deep: unknown };
  expect([names.length, names.at(-1)]).toEqual([51, '... 950 more']);
  expect(JSON.stringify(texts).length).toBeLessThan(17_000);
  expect(JSON.stringify(deep)).toContain('"..."');
  expect(line.length).toBeLessThan(20_000);
});

test('a long error message is truncated in the log', () => {
  const [line = ''] = logLines('error', (log) => log.error({ err: new Error('x'.repeat(100_000)) }, 'failed'));
  expect(line.length).toBeLessThan(20_000);
});

test('a long text is truncated in the log', () => {
  const [line = ''] = logLines('info', (log) => log.info({ output: 'x'.repeat(100_000) }, 'm'));
  expect(line.length).toBeLessThan(5000);
});

test('an error is logged with its type, message and stack', () => {
  const [line = ''] = logLines('error', (log) => log.error({ err: new TypeError('boom') }, 'failed'));
  expect(parse(line)).toMatchObject({ err: { type: 'TypeError', message: 'boom' } });
});

test('secrets are redacted in the log at any depth', () => {
  const [line = ''] = logLines('info', (log) =>
    log.info({ password: 'p1', changes: [{ handler: { api_key: 'p2', name: 'mail' } }] }, 'm'),
  );
  expect(parse(line)).toMatchObject({
    password: 'REDACTED',
    changes: [{ handler: { api_key: 'REDACTED', name: 'mail' } }],
  });
});

test('the log level can be changed while the program runs', () => {
  const lines = logLines('info', (log) => {
    log.debug({}, 'a');
    log.level = 'debug';
    log.debug({}, 'b');
    log.level = 'fatal';
    log.error({}, 'c');
    expect(log.level).toBe('fatal');
  });
  expect(lines.map((line) => parse(line)['message'])).toEqual(['b']);
});

const answer: RequestFields = {
  method: 'GET',
  route: '/events',
  status: 200,
  time_ms: 1.5,
  request_id: 'r1',
  remote_address: '10.0.0.1',
};

test('API responses have their own log level and are buffered until another record is logged', () => {
  const written: string[] = [];
  let waiting = '';
  const destination = {
    write: (line: string) => void (waiting += line),
    flush: () => {
      written.push(waiting);
      waiting = '';
    },
  };
  const log = createLog({ component: 'backend', level: 'info', requestLevel: 'info', destination });
  log.logRequest(answer);
  expect(written).toEqual([]);
  log.info({}, 'm');
  const [first = '', second = ''] = written.join('').split('\n');
  expect(parse(first)).toEqual({
    ...answer,
    timestamp: expect.any(String),
    level: 'info',
    message: 'api response',
    component: 'backend',
  });
  expect(Object.keys(parse(first)).slice(0, 4)).toEqual(['timestamp', 'level', 'message', 'component']);
  expect(parse(second)['message']).toBe('m');

  const quiet = createLog({ component: 'backend', level: 'info', requestLevel: 'debug', destination });
  quiet.logRequest(answer);
  expect(waiting).toBe('');
  quiet.level = 'debug';
  quiet.logRequest(answer);
  expect(parse(waiting)).toMatchObject({ level: 'debug', route: '/events' });
});
