import { describe, expect, test } from 'vitest';
import { Teardown } from '../../../../daemon/backend/compose/teardown.ts';
import { ManualClock } from '../../../support/manual-clock.ts';
import { RecordedLog } from '../../../support/recorded-log.ts';

function scene(): { teardown: Teardown; clock: ManualClock; log: RecordedLog; down: string[] } {
  const [clock, log] = [new ManualClock(), new RecordedLog()];
  return { teardown: new Teardown({ clock, log }), clock, log, down: [] };
}

test('parts of a program stop in the reverse of their start order and are logged by name', async () => {
  const { teardown, log, down } = scene();
  teardown.defer('store', () => void down.push('store'));
  teardown.use('feed', { [Symbol.dispose]: () => void down.push('feed') });
  teardown.use('handlers', {
    [Symbol.asyncDispose]: async () => {
      await Promise.resolve();
      down.push('handlers');
    },
  });
  await teardown[Symbol.asyncDispose]();
  expect(down).toEqual(['handlers', 'feed', 'store']);
  expect(log.records.map(({ fields }) => fields['part'])).toEqual(down);
});

test('a part that stops slowly is logged as a warning', async () => {
  const { teardown, clock, log } = scene();
  teardown.defer('handlers', () => clock.advance(1500));
  await teardown[Symbol.asyncDispose]();
  expect(log.records).toEqual([
    expect.objectContaining({ level: 'warn', fields: { part: 'handlers', duration_ms: 1500 } }),
  ]);
});

test('a part that fails to stop is logged and reported, but the other parts still stop', async () => {
  const { teardown, log, down } = scene();
  teardown.defer('store', () => void down.push('store'));
  teardown.defer('feed', () => Promise.reject(new Error('no more')));
  await expect(teardown[Symbol.asyncDispose]()).rejects.toThrow('no more');
  expect(down).toEqual(['store']);
  expect(log.records).toContainEqual(
    expect.objectContaining({ level: 'error', fields: { part: 'feed', error: 'no more' } }),
  );
});

test('parts that were moved to another owner are stopped only by that owner', async () => {
  const { teardown, down } = scene();
  teardown.defer('store', () => void down.push('store'));
  const running = teardown.move();
  await teardown[Symbol.asyncDispose]();
  expect(down).toEqual([]);
  await running[Symbol.asyncDispose]();
  expect(down).toEqual(['store']);
});

test('parts of a table start one after the other in its order and stop in reverse order', async () => {
  const { teardown, down } = scene();
  const started: string[] = [];
  const part = (name: string): Disposable => {
    started.push(name);
    return { [Symbol.dispose]: () => void down.push(name) };
  };
  await teardown.start([
    { name: 'handlers', start: () => Promise.resolve().then(() => part('handlers')) },
    { name: 'plans', start: () => void started.push('plans') },
    { name: 'clocks', start: () => part('clocks') },
  ]);
  expect(started).toEqual(['handlers', 'plans', 'clocks']);
  await teardown[Symbol.asyncDispose]();
  expect(down).toEqual(['clocks', 'handlers']);
});

test('the parts that already run are stopped if a later part of the table does not start', async () => {
  const { teardown, down } = scene();
  const starting = teardown.start([
    { name: 'clocks', start: () => ({ [Symbol.dispose]: () => void down.push('clocks') }) },
    { name: 'handlers', start: () => Promise.reject(new Error('the store is closed')) },
  ]);
  await expect(starting).rejects.toThrow('the store is closed');
  await teardown[Symbol.asyncDispose]();
  expect(down).toEqual(['clocks']);
});

function orderedTeardown(): Teardown<'store' | 'feed' | 'API'> {
  return new Teardown({ clock: new ManualClock(), log: new RecordedLog(), order: ['store', 'feed', 'API'] });
}

describe('a fixed start order', () => {
  test('a part in the start order may be left out', () => {
    const teardown = orderedTeardown();
    teardown.defer('store', () => undefined);
    expect(() => teardown.defer('API', () => undefined)).not.toThrow();
  });

  test.each(['store', 'feed'] as const)('starting the part %s after a later part or a second time fails', (name) => {
    const teardown = orderedTeardown();
    teardown.defer('feed', () => undefined);
    const expected = `internal error: the part ${name} starts out of order`;
    expect(() => teardown.defer(name, () => undefined)).toThrow(expected);
  });

  test('the start order still applies after parts were moved to another owner', () => {
    const teardown = orderedTeardown();
    teardown.defer('feed', () => undefined);
    const running = teardown.move();
    expect(() => running.defer('store', () => undefined)).toThrow('out of order');
  });
});
