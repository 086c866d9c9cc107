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
  /** The time of the state that the last frame showed. */
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

  /** Counts the frames in the next second, while changes keep arriving. */
  framesPerSecond(): number {
    this.paints = 0;
    this.clock.advance(1000);
    return this.paints;
  }
}

test.each<{ name: string; urgency: Urgency; focused: boolean; frames: number }>([
  { name: 'changes in the window: ten frames a second', urgency: 'rows', focused: true, frames: 10 },
  { name: 'only figures: four', urgency: 'figures', focused: true, frames: 4 },
  { name: 'nothing but time: one', urgency: 'none', focused: true, frames: 1 },
  { name: 'a window that nobody looks at: one', urgency: 'rows', focused: false, frames: 1 },
])('the frame rate depends on what changes: $name', ({ urgency, focused, frames }) => {
  const stage = new Stage();
  stage.urgency = urgency;
  stage.focused = focused;
  expect(stage.framesPerSecond()).toBe(frames);
});

test('a key is drawn at once, with the time at which it arrived', () => {
  const stage = new Stage();
  stage.clock.advance(3);
  stage.scheduler.paintNow();
  expect(stage.paints).toBe(1);
  expect(stage.paintedOfMs).toBe(stage.clock.now());
});

test('a busy terminal gets no frame, and the newest one when it is ready', () => {
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

test('the frame scheduler stops everything it started when it is disposed', () => {
  const stage = new Stage();
  stage.scheduler[Symbol.dispose]();
  expect([stage.clock.pending, stage.sink.listenerCount('idle')]).toEqual([0, 0]);
});
