import { Box, render, Text } from 'ink';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FrameStdout } from '../../../tui/terminal/frame-stdout.ts';
import type { TerminalDevice } from '../../../tui/terminal/terminal-device.ts';
import { CLEAR_SCREEN } from '../../../tui/terminal/terminal-session.ts';
import { waitUntilDrained } from '../../support/drained.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import { Screen } from '../../support/screen.ts';

/** A slow terminal: it accepts at most `room` bytes per write, and none at every other write. */
class SlowDevice implements TerminalDevice {
  readonly writes: number[] = [];
  readonly #screen: Screen;
  room = Infinity;
  #isBusy = false;

  constructor(screen: Screen) {
    this.#screen = screen;
  }

  write(bytes: Uint8Array): number {
    this.#isBusy = !this.#isBusy;
    if (this.room !== Infinity && this.#isBusy) return 0;
    const part = bytes.subarray(0, Math.min(this.room, bytes.length));
    this.#screen.feed(part);
    this.writes.push(part.length);
    return part.length;
  }

  close(): void {}
}

function Rows({ rows, height }: { rows: readonly string[]; height: number }) {
  return (
    <Box flexDirection="column" height={height} overflow="hidden">
      {rows.slice(0, height).map((row) => (
        <Text key={row} wrap="truncate" color={row.includes('日日') ? 'red' : 'green'}>
          {row}
        </Text>
      ))}
    </Box>
  );
}

/** Returns the rows of a frame: text with wide characters, which changes in a few places from frame to frame. */
function rowsOf(frame: number): string[] {
  return Array.from({ length: 12 }, (_, row) => {
    const wide = '日'.repeat((frame + row) % 4);
    return `row ${String(row)} ${String((frame * 7 + row * row) % 23)} ${wide} end`;
  });
}

/** Runs Ink as the console does: with its options, and rendering only when the terminal has accepted everything. */
function openInk() {
  const screen = new Screen({ columns: 60, rows: 12 });
  screen.feed('\u001b[?1049h');
  const device = new SlowDevice(screen);
  const clock = new ManualClock();
  const stdout = new FrameStdout(device, screen, (delayMs, task) => clock.after(delayMs, task));
  let frame = 0;
  const element = () => <Rows rows={rowsOf(frame)} height={stdout.rows} />;
  const ink = render(element(), {
    stdout: stdout as unknown as NodeJS.WriteStream,
    maxFps: 1000,
    incrementalRendering: true,
    patchConsole: false,
    exitOnCtrlC: false,
    interactive: true,
  });
  onTestFinished(() => {
    ink.unmount();
    stdout.destroy();
    screen.dispose();
  });
  return {
    screen,
    device,
    stdout,
    ink,
    draw: async (number: number) => {
      frame = number;
      ink.rerender(element());
      await ink.waitUntilRenderFlush();
    },
    drain: async () => {
      const timer = setInterval(() => clock.advance(32), 0);
      await waitUntilDrained(stdout);
      clearInterval(timer);
      await screen.settled();
    },
    clock,
  };
}

describe('Ink on a frame stdout', () => {
  test('each frame of Ink is drawn with one write, without erasing the whole screen', async () => {
    const { screen, device, draw, drain } = openInk();
    await drain();
    const before = device.writes.length;
    for (let number = 1; number <= 5; number++) await draw(number);
    await drain();
    expect(device.writes.length - before).toBe(5);
    expect(screen.lines).toEqual(rowsOf(5));
    expect(screen.output).not.toMatch(/\u001b\[[23]J/);
    expect(screen.modes.synchronized).toBe(false);
  });

  test('the frames of Ink are correct on a terminal that accepts a few bytes at a time', async () => {
    const { screen, device, stdout, ink, drain, draw, clock } = openInk();
    await drain();
    device.room = 7;
    for (let number = 1; number <= 20; number++) {
      const drawn = draw(number);
      const timer = setInterval(() => clock.advance(32), 0);
      await drawn;
      clearInterval(timer);
    }
    await drain();
    expect(stdout.idle).toBe(true);
    expect(screen.lines).toEqual(rowsOf(20));
    ink.unmount();
  });

  test('the screen is drawn again after another program wrote to the terminal', async () => {
    const { screen, stdout, ink, drain, draw } = openInk();
    await drain();
    await draw(1);
    screen.feed('\u001b[5;5Hgarbage\nmore garbage\u001b[1;1H');
    ink.clear();
    stdout.writeRaw(CLEAR_SCREEN);
    await draw(2);
    await drain();
    expect(screen.lines).toEqual(rowsOf(2));
  });

  test('the frames of Ink follow the size of the terminal', async () => {
    const { screen, drain, draw } = openInk();
    await drain();
    for (const [columns, rows] of [
      [50, 8],
      [70, 12],
      [40, 5],
      [60, 12],
    ] as const) {
      screen.resize(columns, rows);
      await draw(3);
      await drain();
      expect(screen.lines).toEqual(rowsOf(3).slice(0, rows));
    }
  });
});
