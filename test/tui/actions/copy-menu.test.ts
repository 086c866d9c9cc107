import { spawnSync } from 'node:child_process';
import { describe, expect, test } from 'vitest';
import { shellWord } from '../../../shared/domain/command-text.ts';
import { shownItems } from '../../../tui/form/menu.ts';
import { CLIPBOARD_MAX, clipboardSequence } from '../../../tui/terminal/clipboard.ts';
import { ConsoleDriver } from '../../support/console-driver.ts';
import { openRig } from '../../support/console-rig.ts';
import { SCENE, SCENE_EVENTS } from '../../support/console-scene.ts';
import { eventOf } from '../../support/console-rig.ts';
import { runbookOf } from '../../../tui/model/runbook.ts';

const BACKEND = 'http://127.0.0.1:4567';

function menuOf(driver: ConsoleDriver): readonly string[] {
  const layer = driver.store.state.layers.at(-1);
  return layer?.kind === 'menu' ? shownItems(layer).map(({ label }) => label) : [];
}

describe('the copy menu', () => {
  test('the copy menu of an event offers its id, names, JSON and the commands that show it', () => {
    const driver = new ConsoleDriver().goLive(SCENE);
    driver.type('c');
    expect(menuOf(driver)).toEqual([
      'id: db-014.eu-west-1/postgres-repl',
      'client: db-014.eu-west-1',
      'check: postgres-repl',
      'JSON',
      'Markdown with the command that opens it',
      `curl command: curl -s ${BACKEND}/events/db-014.eu-west-1/postgres-repl`,
      `monctl command: monctl event info db-014.eu-west-1 postgres-repl --backend ${BACKEND}`,
      `mon command: mon --backend ${BACKEND} --open db-014.eu-west-1/postgres-repl`,
    ]);
    driver.type('monctl\r');
    expect(driver.store.takeEffects()).toContainEqual({
      kind: 'copy',
      label: 'monctl command',
      text: `monctl event info db-014.eu-west-1 postgres-repl --backend ${BACKEND}`,
    });
  });

  test('the copy menu of a client and of a silence offers only what applies to them', () => {
    const driver = new ConsoleDriver().goLive(SCENE);
    driver.type('5');
    driver.clock.advance(400);
    driver.type('c');
    expect(menuOf(driver)).toContain(`curl command: curl -s ${BACKEND}/clients/cache-009.eu-west-1`);
    driver.escape();
    driver.type('3');
    driver.clock.advance(400);
    driver.frame();
    driver.type('c');
    expect(menuOf(driver)).toEqual([
      'id: client:db-008.eu-west-1:postgres-repl',
      `monctl command: monctl silence info client:db-008.eu-west-1:postgres-repl --backend ${BACKEND}`,
    ]);
  });

  test.each(['plain', 'two words', "it's", '$(reboot)', '`x`', 'a;b', '*', '~', '', '!x', '\\', '"'])(
    'a shell reads the text %j of a copied command as one word',
    (text) => {
      const { stdout } = spawnSync('/bin/sh', ['-c', `printf '%s' ${shellWord(text)}`], { encoding: 'utf8' });
      expect(stdout).toBe(text);
    },
  );
});

describe('the clipboard', () => {
  test('the clipboard gets the text as base64, also through tmux', () => {
    expect(clipboardSequence('a/b', false)).toBe('\u001B]52;c;YS9i\u0007');
    expect(clipboardSequence('a/b', true)).toBe(
      '\u001B]52;c;YS9i\u0007\u001BPtmux;\u001B\u001B]52;c;YS9i\u0007\u001B\\',
    );
  });

  test('a text that is longer than terminals accept is not copied to the clipboard', () => {
    expect(clipboardSequence('x'.repeat(CLIPBOARD_MAX), false)).toBeDefined();
    expect(clipboardSequence('é'.repeat(CLIPBOARD_MAX / 2 + 1), false)).toBeUndefined();
  });

  test('the clipboard gets the JSON of an event unchanged, written between two frames', async () => {
    const [row] = SCENE_EVENTS;
    if (row === undefined) throw new Error('the scene is empty');
    const event = eventOf(row, { runbook: 'https://wiki.example.com/pg' });
    const rig = await openRig({ snapshot: SCENE, api: () => ({ status: 200, body: event }) });
    rig.type('cJSON\r');
    await rig.shows('JSON copied');
    const [, base64 = ''] = /\u001B\]52;c;([^\u0007]*)\u0007/.exec(rig.screen.output) ?? [];
    expect(JSON.parse(Buffer.from(base64, 'base64').toString())).toEqual(event);
    // The clipboard sequence must never be written within a frame, which begins with `?2026h` and ends with `?2026l`.
    const before = rig.screen.output.slice(0, rig.screen.output.indexOf('\u001B]52'));
    expect(before.split('\u001B[?2026h')).toHaveLength(before.split('\u001B[?2026l').length);

    rig.type('b');
    await rig.shows('https://wiki.example.com/pg', 'Runbook of db-014.eu-west-1/postgres-repl');
    rig.type('\r');
    await rig.shows('runbook copied');
    expect(rig.screen.output).toContain(Buffer.from('https://wiki.example.com/pg').toString('base64'));
  });
});

describe('copying in tmux', () => {
  test('a text is loaded into a buffer of tmux, and the message says how to paste it', async () => {
    const loaded: string[] = [];
    const rig = await openRig({
      snapshot: SCENE,
      parts: { isTmux: true, loadTmuxBuffer: async (text) => void loaded.push(text) },
    });
    rig.type('cid\r');
    await rig.shows('id copied to a tmux buffer: prefix ] pastes it');
    expect(loaded).toEqual(['db-014.eu-west-1/postgres-repl']);
    expect(rig.screen.output).not.toContain('\u001B]52;c;');
  });

  test('a text that tmux refuses is sent to the terminal, with the reason', async () => {
    const rig = await openRig({
      snapshot: SCENE,
      parts: { isTmux: true, loadTmuxBuffer: () => Promise.reject(new Error('no server running')) },
    });
    rig.type('cid\r');
    await rig.shows('id copied to the clipboard, if the terminal allows it; no tmux buffer: no server running');
    expect(rig.screen.output).toContain('\u001B]52;c;');
  });
});

test('an event is copied as Markdown with its output, runbook and the command that opens it', async () => {
  const [row] = SCENE_EVENTS;
  if (row === undefined) throw new Error('the scene is empty');
  const event = eventOf(row, { output: 'lag *184* s\n```\n\u001B[31mred', runbook: 'https://wiki.example.com/pg' });
  const loaded: string[] = [];
  const rig = await openRig({
    snapshot: SCENE,
    api: () => ({ status: 200, body: event }),
    parts: { isTmux: true, loadTmuxBuffer: async (text) => void loaded.push(text) },
  });
  rig.type('cMarkdown\r');
  await rig.shows('Markdown copied');
  expect(loaded.map((text) => text.replace(/127\.0\.0\.1:\d+/, 'BACKEND'))).toEqual([
    [
      '**CRITICAL** db-014.eu-west-1/postgres-repl for 3m, since 2026-11-20 11:57:00Z (41 in a row)',
      '',
      '````text',
      'lag *184* s',
      '```',
      'red',
      '````',
      '',
      '- runbook: <https://wiki.example.com/pg>',
      '- open: `mon --backend http://BACKEND --open db-014.eu-west-1/postgres-repl`',
    ].join('\n'),
  ]);
});

test.each([
  { runbook: undefined, says: 'has no runbook' },
  { runbook: 7, says: 'not a URL' },
  { runbook: 'wiki/disk', says: 'not a URL' },
  { runbook: 'javascript:alert(1)', says: 'an http or https link, not javascript:' },
  { runbook: 'file:///etc/passwd', says: 'file:' },
  { runbook: 'https://wiki.example.com@evil.example/', says: 'must not contain credentials' },
  { runbook: `https://wiki.example.com/${'x'.repeat(2024)}`, says: 'not a URL' },
])('$runbook is no runbook that can be opened', ({ runbook, says }) => {
  expect(runbookOf({ runbook })).toEqual({ problem: expect.stringContaining(says) });
});

test('a runbook with an international host name is shown with the encoded host name', () => {
  expect(runbookOf({ runbook: 'https://exаmple.com/\u202Ex' })).toEqual({
    url: 'https://xn--exmple-4nf.com/%E2%80%AEx',
  });
});
