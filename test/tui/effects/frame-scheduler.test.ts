import { EventEmitter } from 'node:events';
import { expect, onTestFinished, test } from 'vitest';
import { FrameScheduler } from '../../../tui/effects/frame-scheduler.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import type { Urgency } from '../../../tui/state/ports.ts';

class Sink extends EventEmitter {
  idle = true;
}

class Stage {
  readonly clock = new ManualClock();
  readonly sink = new Sink();
  urgency: Urgency = 'none';
  focused = true;
  paints = 0;
  tickedAtMs = 0;
  /** The time of the last tick before the last frame. */
  paintedOfMs = 0;
  readonly scheduler = new FrameScheduler(this, this.sink, this.clock);

  constructor() {
    onTestFinished(() => this.scheduler[Symbol.dispose]());
    this.scheduler.paintNow();
    this.paints = 0;
  }

  tick(nowMs: number): void {
    this.tickedAtMs = nowMs;
  }

  paint(): void {
    this.paintedOfMs = this.tickedAtMs;
    this.paints += 1;
  }

  /** Advances the clock by a second, and returns the number of frames in it. */
  framesPerSecond(): number {
    this.paints = 0;
    this.clock.advance(1000);
    return this.paints;
  }
}

test.each<{ name: string; urgency: Urgency; focused: boolean; frames: number }>([
  { name: 'ten frames per second when visible rows change', urgency: 'rows', focused: true, frames: 10 },
  { name: 'four frames per second when only counters change', urgency: 'figures', focused: true, frames: 4 },
  { name: 'one frame per second when only ages change', urgency: 'none', focused: true, frames: 1 },
  { name: 'one frame per second without the focus', urgency: 'rows', focused: false, frames: 1 },
])('the console adapts its frame rate: $name', ({ urgency, focused, frames }) => {
  const stage = new Stage();
  stage.urgency = urgency;
  stage.focused = focused;
  expect(stage.framesPerSecond()).toBe(frames);
});

test('the frame for a key is drawn at once, with the time at which the key arrived', () => {
  const stage = new Stage();
  stage.clock.advance(3);
  stage.scheduler.paintNow();
  expect(stage.paints).toBe(1);
  expect(stage.paintedOfMs).toBe(stage.clock.now());
});

test('a busy terminal gets no frame until it is ready, and then the newest frame', () => {
  const stage = new Stage();
  stage.urgency = 'rows';
  stage.sink.idle = false;
  expect(stage.framesPerSecond()).toBe(0);
  for (let key = 0; key < 5; key += 1) stage.scheduler.paintNow();
  expect(stage.paints).toBe(0);
  stage.sink.idle = true;
  stage.sink.emit('idle');
  expect(stage.paints).toBe(1);
});

test('the frame scheduler stops all of its timers when it is disposed', () => {
  const stage = new Stage();
  stage.scheduler[Symbol.dispose]();
  expect([stage.clock.pending, stage.sink.listenerCount('idle')]).toEqual([0, 0]);
});
