/** @module-tag slow */
import { spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test, vi } from 'vitest';
import type { EventRow } from '../../shared/schemas/feed.ts';
import { eventKey } from '../../shared/domain/event-key.ts';
import { builtPrograms } from '../support/built-programs.ts';
import { anEventRow } from '../support/feed-rows.ts';
import { startFeedServer, type FeedConnection } from '../support/feed-server.ts';
import { Pty } from '../support/pty.ts';
import { tempDir } from '../support/temp-dir.ts';
import { hasTmux, Tmux } from '../support/tmux.ts';
import { rounds, roundsTimeoutMs } from './rounds.ts';

const ROUNDS = 80;
const COLUMNS = 120;
const ROWS = 36;
/** Number of events: more than the screen has rows. */
const EVENTS = 100;
/** Time in milliseconds between two updates of the feed, as a backend sends them. */
const FRAME_MS = 50;

const GNU_SCREEN = 'screen';

const BUILT = builtPrograms();

// The short form skips tests whose terminal programs are missing on this machine; the long form requires these
// programs.
const isAskedFor = process.env['SOAK_ROUNDS'] !== undefined;

test.skipIf(!isAskedFor && !hasTmux())(
  'every screen of the console under tmux is a whole frame, and the terminal is restored at the end',
  async () => {
    const backend = await startFeedServer({
      onSubscribe: (connection) =>
        connection.send({ type: 'snapshot', seq: 1, rows: { events: rowsOf(0) } }, { type: 'live', seq: 1 }),
    });
    await using tmux = await Tmux.open({ columns: COLUMNS, rows: ROWS });
    await tmux.waitForText('shell>');
    await tmux.type(`${process.execPath} ${BUILT}/mon.js --backend ${backend.url}\r`);
    await tmux.waitForText(`${String(EVENTS)} of ${String(EVENTS)} events shown`);
    // The pane is removed, because it shows the event as it was when it was loaded.
    await tmux.type(':set pane off\r');
    await tmux.waitForText(/web-026 .*frame-0/);
    const whole = (await tmux.capture()).filter((line) => line.includes('frame-')).length;

    const seen = new Set<string>();
    const torn: string[] = [];
    onTestFinished(storm(await backend.connection(0)));
    for (let capture = 0; capture < rounds(ROUNDS); capture++) {
      const lines = await tmux.capture();
      const frames = lines.flatMap((line) => /frame-\d+/.exec(line)?.[0] ?? []);
      for (const frame of frames) seen.add(frame);
      const isWhole =
        frames.length === whole &&
        new Set(frames).size === 1 &&
        lines.length === ROWS &&
        lines[0]?.includes('LIVE') === true &&
        lines.at(-1)?.includes('help') === true;
      if (!isWhole) torn.push(lines.join('\n'));
    }
    console.log(
      `captures: ${String(rounds(ROUNDS))}; frames: ${String(seen.size)}; incomplete: ${String(torn.length)}`,
    );
    expect(torn).toEqual([]);
    // If all captures showed the same frame, the test would prove nothing.
    expect(seen.size).toBeGreaterThan(rounds(ROUNDS) / 40);

    await tmux.type('q');
    await tmux.waitForText(/shell>\s*$/);
    expect(await tmux.terminalProperty('#{alternate_on} #{cursor_flag} #{mouse_any_flag}')).toBe('0 1 0');
  },
  roundsTimeoutMs(ROUNDS, 200),
);

test.skipIf(!isAskedFor && !hasGnuScreen())(
  'the console under GNU screen draws the same as in a plain terminal and restores the terminal',
  async () => {
    const backend = await startFeedServer({
      onSubscribe: (connection) =>
        connection.send({ type: 'snapshot', seq: 1, rows: { events: rowsOf(0) } }, { type: 'live', seq: 1 }),
    });
    const console = [`${BUILT}/mon.js`, '--backend', backend.url];
    const SCREENDIR = await tempDir();
    const settings = join(SCREENDIR, 'screenrc');
    // With autodetach, GNU Screen would keep running without its terminal if the test failed.
    await writeFile(settings, 'autodetach off\n');
    const env = { SCREENDIR };
    await using within = new Pty(GNU_SCREEN, ['-c', settings, '-U', process.execPath, ...console], { env });
    await using without = new Pty(process.execPath, console);
    const both = [within, without];
    for (const [keys, shown] of [
      ['', 'row 1/100'],
      ['jjj', 'row 4/100'],
      ['G', 'row 100/100'],
      ['/web-04\r', '10 of 100 events'],
      ['s', 'Ctrl-S submit'],
      ['\u001B', '/ edit, Esc clears'],
      ['\u001B', '100 of 100 events'],
    ] as const) {
      for (const pty of both) pty.write(keys);
      await vi.waitFor(() => {
        expect(without.screen.text).toContain(shown);
        expect(timeless(within.screen.text)).toEqual(timeless(without.screen.text));
      });
    }
    within.write('q');
    expect(await within.exited).toEqual({ exitCode: 0, signal: 0 });
    // The last bytes may be read after the program that wrote them has exited.
    await vi.waitFor(() => expect(within.screen.text.trim()).toBe('[screen is terminating]'));
  },
);

/** Replaces times by a dash, because the two consoles do not start at the same time. */
function timeless(screen: string): string {
  return screen.replaceAll(/\d\d:\d\d:\d\dZ|\b\d+[smhd]\b|lag \S+/g, '-').replaceAll(/ +/g, ' ');
}

function hasGnuScreen(): boolean {
  return spawnSync(GNU_SCREEN, ['-v']).status === 0;
}

/** Returns event rows whose output contains the number of the frame. */
function rowsOf(frame: number): Readonly<Record<string, EventRow>> {
  const rows = Array.from({ length: EVENTS }, (_, index) =>
    anEventRow({ client: `web-${String(index).padStart(3, '0')}`, output: `frame-${String(frame)} of the storm` }),
  );
  return Object.fromEntries(rows.map((row) => [eventKey(row.client, row.check), row]));
}

/**
 * Starts a timer that changes all events of the feed in each frame.
 *
 * @returns a function that stops the timer
 */
function storm(connection: FeedConnection): () => void {
  let seq = 1;
  const timer = setInterval(() => {
    seq += 1;
    connection.send({ type: 'changes', seq, time: Date.now(), rows: { events: rowsOf(seq) } });
  }, FRAME_MS);
  return () => clearInterval(timer);
}
