import { EventEmitter } from 'node:events';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FrameStdout } from '../../../tui/terminal/frame-stdout.ts';
import type { TerminalDevice } from '../../../tui/terminal/terminal-device.ts';
import { waitUntilDrained } from '../../support/drained.ts';
import { ManualClock } from '../../support/manual-clock.ts';

/** A terminal that accepts as many bytes as the test allows at each write. */
class ScriptedDevice implements TerminalDevice {
  readonly writes: string[] = [];
  attempts = 0;
  room = Infinity;
  isGone = false;

  write(bytes: Uint8Array): number {
    this.attempts++;
    if (this.isGone) throw new Error('EIO');
    const taken = Math.min(this.room, bytes.length);
    this.room -= taken;
    if (taken > 0) this.writes.push(Buffer.from(bytes.subarray(0, taken)).toString('latin1'));
    return taken;
  }

  close(): void {}

  get output(): string {
    return this.writes.join('');
  }
}

class ScriptedSize extends EventEmitter {
  columns = 80;
  rows = 24;

  resize(columns: number, rows: number): void {
    this.columns = columns;
    this.rows = rows;
    this.emit('resize');
  }
}

function openStdout() {
  const device = new ScriptedDevice();
  const size = new ScriptedSize();
  const clock = new ManualClock();
  const stdout = new FrameStdout(device, size, (delayMs, task) => clock.after(delayMs, task));
  onTestFinished(() => void stdout.destroy());
  return { stdout, device, size, clock };
}

/** Resolves at the end of this turn of the event loop, when all writes of the turn have been joined. */
async function endOfTurn(): Promise<void> {
  await new Promise((resolve) => setImmediate(resolve));
}

describe('the writing of frames to the terminal', () => {
  test('the parts of a frame are written to the terminal in one write', async () => {
    const { stdout, device } = openStdout();
    stdout.write('begin ');
    stdout.write(Buffer.from('frame '));
    stdout.write('end');
    expect(device.writes).toEqual([]);
    await endOfTurn();
    expect(device.writes).toEqual(['begin frame end']);
    expect(stdout.idle).toBe(true);
  });

  test('every byte of a frame is written in order even if the terminal accepts a few bytes at a time', async () => {
    const { stdout, device, clock } = openStdout();
    device.room = 3;
    stdout.write('0123456789');
    await endOfTurn();
    stdout.write('abc');
    stdout.writeRaw('\u0007');
    await endOfTurn();
    expect(stdout.idle).toBe(false);
    for (let attempt = 0; attempt < 10; attempt++) {
      device.room = 2;
      clock.advance(32);
    }
    expect(device.output).toBe('0123456789abc\u0007');
    expect(stdout.idle).toBe(true);
    expect(clock.pending).toBe(0);
  });

  test('a write calls back when the terminal has accepted it, since Ink waits for that at its end', async () => {
    const { stdout, device, clock } = openStdout();
    const told: string[] = [];
    device.room = 0;
    stdout.write('frame');
    stdout.write('', () => told.push('done'));
    await endOfTurn();
    expect(told).toEqual([]);
    device.room = Infinity;
    clock.advance(1);
    await endOfTurn();
    expect(told).toEqual(['done']);
  });

  test('a blocked terminal is polled often at first, then less often, and often again when it accepts bytes', async () => {
    const { stdout, device, clock } = openStdout();
    device.room = 0;
    stdout.write('frame');
    await endOfTurn();
    const attemptsAt: number[] = [];
    for (let ms = 1; ms <= 95; ms++) {
      const before = device.attempts;
      clock.advance(1);
      if (device.attempts > before) attemptsAt.push(ms);
    }
    expect(attemptsAt).toEqual([1, 3, 7, 15, 31, 63, 95]);
    device.room = 1;
    clock.advance(32);
    device.room = Infinity;
    clock.advance(1);
    expect(device.output).toBe('frame');
  });
});

describe('a busy terminal', () => {
  test('a busy terminal emits idle when it has accepted every byte', async () => {
    const { stdout, device, clock } = openStdout();
    device.room = 0;
    stdout.write('frame');
    await endOfTurn();
    let idles = 0;
    stdout.on('idle', () => idles++);
    const settled = waitUntilDrained(stdout);
    expect([stdout.idle, idles]).toEqual([false, 0]);
    device.room = Infinity;
    clock.advance(1);
    await settled;
    expect([stdout.idle, idles]).toEqual([true, 1]);
  });

  test('a frame may be drawn within the idle event of a terminal', async () => {
    const { stdout, device, clock } = openStdout();
    device.room = 0;
    stdout.write('one ');
    await endOfTurn();
    stdout.once('idle', () => stdout.write('two'));
    device.room = Infinity;
    clock.advance(1);
    await waitUntilDrained(stdout);
    expect(device.output).toBe('one two');
  });

  test('the bell is dropped if the terminal does not keep up', async () => {
    const { stdout, device } = openStdout();
    device.room = 0;
    stdout.write('x'.repeat(100_000));
    expect(stdout.writeRaw('\u0007')).toBe(false);
    await endOfTurn();
    expect(stdout.writeRaw('\u0007')).toBe(false);
  });

  test('a resize of a busy terminal is applied once, with the newest size, when the terminal is idle', async () => {
    const { stdout, device, size, clock } = openStdout();
    const sizes: string[] = [];
    stdout.on('resize', () => sizes.push(`${String(stdout.columns)}x${String(stdout.rows)}`));
    size.resize(100, 30);
    expect(sizes).toEqual(['100x30']);
    device.room = 0;
    stdout.write('frame');
    await endOfTurn();
    size.resize(90, 20);
    size.resize(120, 36);
    // The size does not change until the terminal has accepted the pending frame, which has the earlier size.
    expect([stdout.columns, sizes.length]).toEqual([100, 1]);
    device.room = Infinity;
    clock.advance(1);
    expect(sizes).toEqual(['100x30', '120x36']);
  });
});

describe('a terminal that is gone or belongs to another program', () => {
  test('a terminal that is gone closes the output stream without an error', async () => {
    const { stdout, device, clock } = openStdout();
    const seen: unknown[] = [];
    stdout.on('error', (error) => seen.push(error));
    stdout.on('close', () => seen.push('close'));
    device.isGone = true;
    stdout.write('frame');
    await endOfTurn();
    await waitUntilDrained(stdout);
    stdout.write('more');
    await endOfTurn();
    expect(seen).toEqual(['close']);
    expect([stdout.idle, stdout.writeRaw('x'), clock.pending]).toEqual([false, false, 0]);
  });

  test('the console writes nothing to a terminal that belongs to another program', async () => {
    const { stdout, device, clock } = openStdout();
    device.room = 2;
    stdout.write('frame');
    await endOfTurn();
    stdout.write('next');
    expect(stdout.mute()).toBe(true);
    await endOfTurn();
    stdout.write('more');
    await waitUntilDrained(stdout);
    device.room = Infinity;
    clock.advance(1000);
    expect(device.output).toBe('fr');
    stdout.unmute();
    stdout.write('again');
    await waitUntilDrained(stdout);
    expect(device.output).toBe('fragain');
    expect(stdout.mute()).toBe(false);
  });
});
