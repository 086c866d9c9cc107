import { describe, expect, test } from 'vitest';
import { ShortResults } from '../../../daemon/agent/short-results.ts';

type Attributes = Readonly<Record<string, unknown>>;

const PASSING = {
  name: 'disk',
  command: 'check-disk',
  status: 0,
  issued: 10,
  executed: 11,
  duration: 0.5,
  output: 'DISK OK',
};

/** Returns the item that is sent for a result, as the backend parses it. */
function told(shortResults: ShortResults, id: number, check: Attributes, signature?: string): unknown {
  return JSON.parse(shortResults.itemOf({ id, text: JSON.stringify(check) }, signature));
}

/** Returns an object that has sent this result with the id 1, which the backend has confirmed as a baseline. */
function basedOn(check: Attributes): ShortResults {
  const shortResults = new ShortResults();
  told(shortResults, 1, check);
  shortResults.confirm([1]);
  return shortResults;
}

function without(attribute: keyof typeof PASSING): Attributes {
  return Object.fromEntries(Object.entries(PASSING).filter(([name]) => name !== attribute));
}

function numbered(at: number, more: Attributes = {}): Attributes {
  return { ...PASSING, name: `check-${String(at)}`, ...more };
}

describe('a full result', () => {
  test('a full result is the spooled text with its id', () => {
    const item = new ShortResults().itemOf({ id: 7, text: '{"name": "disk"}' }, undefined);
    expect(item).toBe('{"id":7,"check":{"name": "disk"}}');
  });

  test('a full result contains the signature of the client', () => {
    const item = new ShortResults().itemOf({ id: 7, text: '{"name":"disk"}' }, 's"cret');
    expect(item).toBe(String.raw`{"id":7,"signature":"s\"cret","check":{"name":"disk"}}`);
  });
});

describe('a delta result', () => {
  test('a delta result contains its times and the id of its baseline', () => {
    const text = JSON.stringify({ ...PASSING, issued: 70, executed: 71, duration: 0.25 });
    expect(basedOn(PASSING).itemOf({ id: 2, text }, undefined)).toBe(
      '{"id":2,"of":1,"executed":71,"issued":70,"duration":0.25}',
    );
  });

  test('a delta result contains no signature', () => {
    expect(told(basedOn(PASSING), 2, PASSING, 's3cr3t')).not.toHaveProperty('signature');
  });

  test('a delta result contains an output exactly if it differs from that of the baseline', () => {
    const shortResults = basedOn(PASSING);
    expect(told(shortResults, 2, { ...PASSING, output: 'DISK FINE' })).toMatchObject({ of: 1, output: 'DISK FINE' });
    expect(told(shortResults, 3, { ...PASSING, output: '' })).toMatchObject({ of: 1, output: '' });
    const alike = told(shortResults, 4, PASSING);
    expect(alike).toMatchObject({ of: 1 });
    expect(alike).not.toHaveProperty('output');
  });

  test('a delta result contains a duration exactly if the baseline has one', () => {
    const short = told(basedOn(without('duration')), 2, without('duration'));
    expect(short).toEqual({ id: 2, of: 1, executed: 11, issued: 10 });
    expect(told(basedOn(without('duration')), 2, PASSING)).toEqual({ id: 2, check: PASSING });
    expect(told(basedOn(PASSING), 2, without('duration'))).toEqual({ id: 2, check: without('duration') });
  });
});

describe('a baseline', () => {
  test('only a confirmed result is a baseline', () => {
    const shortResults = new ShortResults();
    told(shortResults, 1, PASSING);
    expect(told(shortResults, 2, PASSING)).toEqual({ id: 2, check: PASSING });
    shortResults.confirm([2]);
    expect(told(shortResults, 3, PASSING)).toMatchObject({ of: 2 });
  });

  test('the confirmation of a result before the last full one is ignored', () => {
    const shortResults = new ShortResults();
    told(shortResults, 1, PASSING);
    told(shortResults, 2, PASSING);
    shortResults.confirm([1]);
    expect(told(shortResults, 3, PASSING)).toEqual({ id: 3, check: PASSING });
  });

  test('the confirmation of a result that was never sent is ignored', () => {
    const shortResults = new ShortResults();
    shortResults.confirm([1]);
    expect(told(shortResults, 1, PASSING)).toEqual({ id: 1, check: PASSING });
    expect(told(shortResults, 2, PASSING)).toEqual({ id: 2, check: PASSING });
  });

  test.each<{ name: string; check: Attributes }>([
    { name: 'fails', check: { ...PASSING, status: 1 } },
    { name: 'has no status', check: without('status') },
    { name: 'has a status that is not a number', check: { ...PASSING, status: '0' } },
    { name: 'has no time of its run', check: without('executed') },
    { name: 'has a time of its run in fractions', check: { ...PASSING, executed: 11.5 } },
    { name: 'has a time of its run before 1970', check: { ...PASSING, executed: -1 } },
    { name: 'has an inexact execution time', check: { ...PASSING, executed: 2 ** 53 } },
    { name: 'has no issue time', check: without('issued') },
    { name: 'has an invalid issue time', check: { ...PASSING, issued: null } },
    { name: 'has an invalid duration', check: { ...PASSING, duration: null } },
    { name: 'has a duration that is a text', check: { ...PASSING, duration: '0.5' } },
    { name: 'has no output', check: without('output') },
    { name: 'has an output that is not a text', check: { ...PASSING, output: 1 } },
  ])('a result is no baseline and drops the previous one if it $name', ({ check }) => {
    const shortResults = basedOn(PASSING);
    expect(told(shortResults, 2, check)).toEqual({ id: 2, check });
    shortResults.confirm([1, 2]);
    expect(told(shortResults, 3, check)).toEqual({ id: 3, check });
    expect(told(shortResults, 4, PASSING)).toEqual({ id: 4, check: PASSING });
  });

  test.each<{ name: string; check: Attributes }>([
    { name: 'another value', check: { ...PASSING, command: 'check-disk -w 80' } },
    { name: 'one attribute more', check: { ...PASSING, team: 'storage' } },
    { name: 'one attribute less', check: without('command') },
    { name: 'another order', check: Object.fromEntries(Object.entries(PASSING).toReversed()) },
  ])('a result with $name replaces the baseline', ({ check }) => {
    const shortResults = basedOn(PASSING);
    expect(told(shortResults, 2, check)).toEqual({ id: 2, check });
    shortResults.confirm([1, 2]);
    expect(told(shortResults, 3, check)).toMatchObject({ of: 2 });
    expect(told(shortResults, 4, PASSING)).toEqual({ id: 4, check: PASSING });
  });

  test('the baselines of one check name from two sources are separate', () => {
    const shortResults = basedOn(PASSING);
    const ofSwitch = { ...PASSING, source: 'switch-1' };
    expect(told(shortResults, 2, ofSwitch)).toEqual({ id: 2, check: ofSwitch });
    shortResults.confirm([2]);
    expect(told(shortResults, 3, ofSwitch)).toMatchObject({ of: 2 });
    expect(told(shortResults, 4, PASSING)).toMatchObject({ of: 1 });
  });

  test('a source of null counts as no source for a baseline', () => {
    const shortResults = basedOn(PASSING);
    told(shortResults, 2, { ...PASSING, source: null });
    expect(told(shortResults, 3, PASSING)).toEqual({ id: 3, check: PASSING });
  });

  test('baselines of at most 1024 checks are kept, and a dropped one frees space', () => {
    const shortResults = new ShortResults();
    for (let at = 1; at <= 1025; at++) told(shortResults, at, numbered(at));
    shortResults.confirm([1, 1024, 1025]);
    expect(told(shortResults, 1026, numbered(1024))).toMatchObject({ of: 1024 });
    expect(told(shortResults, 1027, numbered(1025))).toEqual({ id: 1027, check: numbered(1025) });
    told(shortResults, 1028, numbered(1, { status: 2 }));
    told(shortResults, 1029, numbered(1025));
    shortResults.confirm([1029]);
    expect(told(shortResults, 1030, numbered(1025))).toMatchObject({ of: 1029 });
  });

  test('a baseline has at most 16 KiB besides an output of at most 16 KiB', () => {
    const long = { ...PASSING, output: 'x'.repeat(16 * 1024) };
    expect(told(basedOn(long), 2, long)).toMatchObject({ of: 1 });
    const longer = { ...PASSING, output: `${long.output}x` };
    expect(told(basedOn(longer), 2, longer)).toEqual({ id: 2, check: longer });
    const large = { ...PASSING, notes: 'x'.repeat(16 * 1024) };
    expect(told(basedOn(large), 2, large)).toEqual({ id: 2, check: large });
  });
});
