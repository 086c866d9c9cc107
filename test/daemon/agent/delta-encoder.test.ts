import { describe, expect, test } from 'vitest';
import { DeltaEncoder } from '../../../daemon/agent/delta-encoder.ts';

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

/** Encodes a result, and returns the item of the frame as the backend parses it. */
function encoded(encoder: DeltaEncoder, id: number, check: Attributes, signature?: string): unknown {
  return JSON.parse(encoder.encode({ id, text: JSON.stringify(check) }, signature));
}

/** Returns an encoder whose first result (id 1) is confirmed as a baseline. */
function encoderWithBaseline(check: Attributes): DeltaEncoder {
  const encoder = new DeltaEncoder();
  encoded(encoder, 1, check);
  encoder.confirm([1]);
  return encoder;
}

function resultWithout(attribute: keyof typeof PASSING): Attributes {
  return Object.fromEntries(Object.entries(PASSING).filter(([name]) => name !== attribute));
}

function resultNumber(at: number, more: Attributes = {}): Attributes {
  return { ...PASSING, name: `check-${String(at)}`, ...more };
}

describe('a full result that an agent sends', () => {
  test('a full result is sent as the spooled text with its id', () => {
    const item = new DeltaEncoder().encode({ id: 7, text: '{"name": "disk"}' }, undefined);
    expect(item).toBe('{"id":7,"check":{"name": "disk"}}');
  });

  test('a full result contains the signature of the client', () => {
    const item = new DeltaEncoder().encode({ id: 7, text: '{"name":"disk"}' }, 's"cret');
    expect(item).toBe(String.raw`{"id":7,"signature":"s\"cret","check":{"name":"disk"}}`);
  });
});

describe('a delta result that an agent sends', () => {
  test('a delta result contains its own times and the id of its baseline', () => {
    const text = JSON.stringify({ ...PASSING, issued: 70, executed: 71, duration: 0.25 });
    expect(encoderWithBaseline(PASSING).encode({ id: 2, text }, undefined)).toBe(
      '{"id":2,"baseline":1,"executed":71,"issued":70,"duration":0.25}',
    );
  });

  test('a delta result contains no signature, because its baseline has one', () => {
    expect(encoded(encoderWithBaseline(PASSING), 2, PASSING, 's3cr3t')).not.toHaveProperty('signature');
  });

  test('a delta result contains the output only if it differs from the output of the baseline', () => {
    const encoder = encoderWithBaseline(PASSING);
    expect(encoded(encoder, 2, { ...PASSING, output: 'DISK FINE' })).toMatchObject({
      baseline: 1,
      output: 'DISK FINE',
    });
    expect(encoded(encoder, 3, { ...PASSING, output: '' })).toMatchObject({ baseline: 1, output: '' });
    const alike = encoded(encoder, 4, PASSING);
    expect(alike).toMatchObject({ baseline: 1 });
    expect(alike).not.toHaveProperty('output');
  });

  test('a delta result contains a duration exactly if its baseline has one', () => {
    const delta = encoded(encoderWithBaseline(resultWithout('duration')), 2, resultWithout('duration'));
    expect(delta).toEqual({ id: 2, baseline: 1, executed: 11, issued: 10 });
    expect(encoded(encoderWithBaseline(resultWithout('duration')), 2, PASSING)).toEqual({ id: 2, check: PASSING });
    expect(encoded(encoderWithBaseline(PASSING), 2, resultWithout('duration'))).toEqual({
      id: 2,
      check: resultWithout('duration'),
    });
  });
});

describe('the baseline of delta results', () => {
  test('a result becomes a baseline only when the backend has confirmed it', () => {
    const encoder = new DeltaEncoder();
    encoded(encoder, 1, PASSING);
    expect(encoded(encoder, 2, PASSING)).toEqual({ id: 2, check: PASSING });
    encoder.confirm([2]);
    expect(encoded(encoder, 3, PASSING)).toMatchObject({ baseline: 2 });
  });

  test('only the last full result of a check can become its baseline, whatever the backend confirms', () => {
    const encoder = new DeltaEncoder();
    encoded(encoder, 1, PASSING);
    encoded(encoder, 2, PASSING);
    encoder.confirm([1]);
    expect(encoded(encoder, 3, PASSING)).toEqual({ id: 3, check: PASSING });
  });

  test('a result that was not sent cannot become a baseline, even if the backend confirms it', () => {
    const encoder = new DeltaEncoder();
    encoder.confirm([1]);
    expect(encoded(encoder, 1, PASSING)).toEqual({ id: 1, check: PASSING });
    expect(encoded(encoder, 2, PASSING)).toEqual({ id: 2, check: PASSING });
  });

  test.each<{ name: string; check: Attributes }>([
    { name: 'fails', check: { ...PASSING, status: 1 } },
    { name: 'has no status', check: resultWithout('status') },
    { name: 'has a status that is not a number', check: { ...PASSING, status: '0' } },
    { name: 'has no execution time', check: resultWithout('executed') },
    { name: 'has a fractional execution time', check: { ...PASSING, executed: 11.5 } },
    { name: 'has an execution time before 1970', check: { ...PASSING, executed: -1 } },
    { name: 'has an execution time beyond the exact integers', check: { ...PASSING, executed: 2 ** 53 } },
    { name: 'has no issue time', check: resultWithout('issued') },
    { name: 'has an issue time of null', check: { ...PASSING, issued: null } },
    { name: 'has a duration of null', check: { ...PASSING, duration: null } },
    { name: 'has a duration that is a text', check: { ...PASSING, duration: '0.5' } },
    { name: 'has no output', check: resultWithout('output') },
    { name: 'has an output that is not a text', check: { ...PASSING, output: 1 } },
  ])('a result that $name is no baseline, and ends the previous baseline of its check', ({ check }) => {
    const encoder = encoderWithBaseline(PASSING);
    expect(encoded(encoder, 2, check)).toEqual({ id: 2, check });
    encoder.confirm([1, 2]);
    expect(encoded(encoder, 3, check)).toEqual({ id: 3, check });
    expect(encoded(encoder, 4, PASSING)).toEqual({ id: 4, check: PASSING });
  });

  test.each<{ name: string; check: Attributes }>([
    { name: 'another attribute value', check: { ...PASSING, command: 'check-disk -w 80' } },
    { name: 'one attribute more', check: { ...PASSING, team: 'storage' } },
    { name: 'one attribute less', check: resultWithout('command') },
    { name: 'another order of attributes', check: Object.fromEntries(Object.entries(PASSING).toReversed()) },
  ])('a result that has $name is sent in full and replaces the baseline of its check', ({ check }) => {
    const encoder = encoderWithBaseline(PASSING);
    expect(encoded(encoder, 2, check)).toEqual({ id: 2, check });
    encoder.confirm([1, 2]);
    expect(encoded(encoder, 3, check)).toMatchObject({ baseline: 2 });
    expect(encoded(encoder, 4, PASSING)).toEqual({ id: 4, check: PASSING });
  });

  test('the same check name with another source has a baseline of its own', () => {
    const encoder = encoderWithBaseline(PASSING);
    const ofSwitch = { ...PASSING, source: 'switch-1' };
    expect(encoded(encoder, 2, ofSwitch)).toEqual({ id: 2, check: ofSwitch });
    encoder.confirm([2]);
    expect(encoded(encoder, 3, ofSwitch)).toMatchObject({ baseline: 2 });
    expect(encoded(encoder, 4, PASSING)).toMatchObject({ baseline: 1 });
  });

  test('a result with a source of null replaces the baseline of the check without a source', () => {
    const encoder = encoderWithBaseline(PASSING);
    encoded(encoder, 2, { ...PASSING, source: null });
    expect(encoded(encoder, 3, PASSING)).toEqual({ id: 3, check: PASSING });
  });

  test('an agent stores baselines for at most 1024 checks, and ending a baseline frees space for another', () => {
    const encoder = new DeltaEncoder();
    for (let at = 1; at <= 1025; at++) encoded(encoder, at, resultNumber(at));
    encoder.confirm([1, 1024, 1025]);
    expect(encoded(encoder, 1026, resultNumber(1024))).toMatchObject({ baseline: 1024 });
    expect(encoded(encoder, 1027, resultNumber(1025))).toEqual({ id: 1027, check: resultNumber(1025) });
    encoded(encoder, 1028, resultNumber(1, { status: 2 }));
    encoded(encoder, 1029, resultNumber(1025));
    encoder.confirm([1029]);
    expect(encoded(encoder, 1030, resultNumber(1025))).toMatchObject({ baseline: 1029 });
  });

  test('a result with more than 16 KiB of output or of other attributes is no baseline', () => {
    const long = { ...PASSING, output: 'x'.repeat(16 * 1024) };
    expect(encoded(encoderWithBaseline(long), 2, long)).toMatchObject({ baseline: 1 });
    const longer = { ...PASSING, output: `${long.output}x` };
    expect(encoded(encoderWithBaseline(longer), 2, longer)).toEqual({ id: 2, check: longer });
    const large = { ...PASSING, notes: 'x'.repeat(16 * 1024) };
    expect(encoded(encoderWithBaseline(large), 2, large)).toEqual({ id: 2, check: large });
  });
});
