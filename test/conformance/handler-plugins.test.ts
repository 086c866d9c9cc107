import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { readAttributePath } from '../../shared/domain/attributes.ts';
import { HandlerScenario } from '../support/handler-scenario.ts';

type Kind = 'string' | 'number' | 'boolean' | 'strings' | 'object' | 'null';

/** The attributes of an event that existing handler plugins read from standard input (clients 5), with their types. */
const READ: Readonly<Record<string, Kind>> = {
  id: 'string',
  action: 'string',
  occurrences: 'number',
  occurrences_watermark: 'number',
  timestamp: 'number',
  last_state_change: 'number',
  last_ok: 'number',
  silenced: 'boolean',
  silenced_by: 'strings',
  'client.name': 'string',
  'client.address': 'string',
  'client.subscriptions': 'strings',
  'client.timestamp': 'number',
  'check.name': 'string',
  'check.status': 'number',
  'check.output': 'string',
  'check.source': 'string',
  'check.executed': 'number',
  'check.issued': 'number',
  'check.interval': 'number',
  'check.occurrences': 'number',
  'check.refresh': 'number',
  'check.alert': 'boolean',
  'check.dependencies': 'strings',
  'check.enable_deprecated_filtering': 'boolean',
  'check.enable_deprecated_occurrence_filtering': 'boolean',
  'check.notification': 'string',
  'check.description': 'string',
  'check.remediation.light.occurrences': 'object',
  'check.remediation.light.severities': 'object',
  'check.trigger_on': 'strings',
  'check.history': 'strings',
  'check.total_state_change': 'number',
};

/** A check definition with attributes that only handler plugins use. */
const DEFINITION = {
  command: 'df',
  interval: 60,
  subscribers: ['web'],
  occurrences: 1,
  refresh: 1800,
  alert: true,
  dependencies: ['nas/ping'],
  enable_deprecated_filtering: false,
  enable_deprecated_occurrence_filtering: false,
  notification: 'a disk fills up',
  description: 'how full the disks are',
  remediation: { light: { occurrences: [1, '2-5', '6+'], severities: [1, 2] } },
  trigger_on: ['warning'],
};

/** Returns the kind of a JSON value; `undefined` if the value is missing. */
function kindOf(value: unknown): Kind | undefined {
  if (value === null) return 'null';
  if (Array.isArray(value)) return value.every((item) => typeof item === 'string') ? 'strings' : 'object';
  const type = typeof value;
  return type === 'string' || type === 'number' || type === 'boolean' || type === 'object' ? type : undefined;
}

const kindsOf = (event: object): object =>
  Object.fromEntries(Object.keys(READ).map((path) => [path, kindOf(readAttributePath({ ...event }, path.split('.')))]));

describe('the events that handler plugins parse', () => {
  test('each event has the fields that handler plugins parse, with the types that they expect', async () => {
    const scenario = await HandlerScenario.open({ handlers: { default: {} }, checks: { disk: DEFINITION } });
    for (const status of [0, 2, 0]) await scenario.report(status);
    const [created = {}, resolved = {}] = await scenario.notifications();
    expect(kindsOf(created)).toEqual(READ);
    expect(kindsOf(resolved)).toEqual(READ);
  });

  test('last_ok is null in an event whose check was never OK', async () => {
    const scenario = await HandlerScenario.open({ handlers: { default: {} }, checks: { disk: DEFINITION } });
    await scenario.report(2);
    expect(kindsOf((await scenario.notifications())[0] ?? {})).toEqual({ ...READ, last_ok: 'null' });
  });

  test('a handler plugin reads one JSON document from standard input, which ends after the document', async () => {
    const scenario = await HandlerScenario.open({});
    // Behaves like the library of the plugins: it reads its input to the end and parses it; if the input is invalid, it
    // prints a message and exits with 0.
    const plugin = join(scenario.dir, 'plugin.mjs');
    await writeFile(
      plugin,
      `import { text } from 'node:stream/consumers';
       let event;
       try { event = JSON.parse(await text(process.stdin)); } catch { console.log('error reading event'); process.exit(0); }
       console.log([event.client.name, event.check.name, event.occurrences ?? 1, event.action].join('/'));`,
    );
    await scenario.reload({ handlers: { default: { type: 'pipe', command: `${process.execPath} ${plugin}` } } });
    await scenario.report(2, { output: 'größe 😀 "quoted" \\ back\nsecond line' });
    await scenario.settled();
    expect(scenario.logRecords('handler output')).toMatchObject([
      { level: 'info', fields: { output: 'web-1/disk/1/create\n', status: 0 } },
    ]);
  });
});
