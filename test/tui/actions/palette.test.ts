import { describe, expect, test } from 'vitest';
import { shownItems } from '../../../tui/form/menu.ts';
import { ConsoleDriver } from '../../support/console-driver.ts';
import { byKey } from '../../support/console-rig.ts';
import { SCENE } from '../../support/console-scene.ts';
import { anEventRow } from '../../support/feed-rows.ts';

const CTRL_P = '\u0010';

/** Returns the entries of the open palette, as `kind label`. */
function entries({ store }: ConsoleDriver): readonly string[] {
  const layer = store.state.layers.at(-1);
  return layer?.kind === 'menu' ? shownItems(layer).map(({ kind = '', label }) => `${kind} ${label}`) : [];
}

function openConsole(readOnly = false): ConsoleDriver {
  return new ConsoleDriver({ readOnly }).goLive(SCENE);
}

describe('the palette', () => {
  test('the palette without a search shows the actions of the screen and the views', () => {
    const driver = openConsole();
    driver.type(CTRL_P);
    expect(entries(driver)).toEqual(expect.arrayContaining(['action silence', 'action resolve', 'view Overview']));
    expect(entries(driver).some((entry) => entry.startsWith('event'))).toBe(false);
  });

  test('the palette finds an action by words of its description, and Enter runs it on the row under the cursor', () => {
    const driver = openConsole();
    driver.type(`${CTRL_P}silence the marked`);
    expect(entries(driver)[0]).toBe('action silence');
    driver.type('\r');
    expect(driver.store.state.layers.at(-1)).toMatchObject({
      kind: 'silence',
      form: { targets: [{ key: 'db-014.eu-west-1/postgres-repl' }] },
    });
  });

  test('the palette finds a client before its events, and opens it', () => {
    const driver = openConsole();
    driver.type(`${CTRL_P}web-003`);
    expect(entries(driver).slice(0, 2)).toEqual(['client web-003.eu-west-1', 'event web-003.eu-west-1/http-frontend']);
    driver.type('\r');
    expect(driver.store.state.layers).toMatchObject([
      { kind: 'inspect', subject: { kind: 'client', name: 'web-003.eu-west-1' } },
    ]);
  });

  test.each([
    ['event ntp', 'event ntp-001.eu-west-1/ntp-drift', { kind: 'detail' }],
    ['check postgres', 'check postgres-repl', { kind: 'inspect', subject: { kind: 'check' } }],
    ['silence postgres', 'silence client:db-008.eu-west-1:postgres-repl', { kind: 'silence-entry' }],
  ])('the palette opens what %j finds', (search, entry, layer) => {
    const driver = openConsole();
    driver.type(`${CTRL_P}${search}`);
    expect(entries(driver)).toContain(entry);
    while (entries(driver)[0] !== entry && !isChosen(driver, entry)) driver.type('\u001B[B');
    driver.type('\r');
    expect(driver.store.state.layers.at(-1)).toMatchObject(layer);
  });

  test('the palette shows what was opened last first, also without a search', () => {
    const driver = openConsole();
    driver.type('\r');
    driver.type(`q${CTRL_P}`);
    expect(entries(driver)[0]).toBe('event db-014.eu-west-1/postgres-repl');
    driver.escape();
    driver.type(`${CTRL_P}e`);
    expect(entries(driver).filter((entry) => entry === 'event db-014.eu-west-1/postgres-repl')).toHaveLength(1);
  });

  test('the palette opens views and saved views', () => {
    const driver = openConsole();
    driver.store.update({
      savedViews: new Map([
        ['on-call', { view: 'events', filter: 'status=crit', sort: undefined, columns: undefined }],
      ]),
    });
    driver.type(`${CTRL_P}on-call\r`);
    expect(driver.store.list.filter.text).toBe('status=crit');
    driver.type(`${CTRL_P}silences\r`);
    expect(driver.store.state.view).toBe('silences');
  });

  test('the palette puts a command that needs an argument into the command line', () => {
    const driver = openConsole();
    driver.type(`${CTRL_P}at show the lists`);
    expect(entries(driver)[0]).toBe('action at');
    driver.type('\r');
    expect(driver.store.state.layers.at(-1)).toMatchObject({ kind: 'command', line: { text: 'at ' } });
  });

  test('the palette of a read-only console says why a change is disabled', () => {
    const driver = openConsole(true);
    driver.type(`${CTRL_P}resolve\r`);
    expect(driver.message).toContain('disabled: this console was started with --read-only');
    expect(driver.effects()).toEqual([]);
  });

  test('the entries stay the same while changes arrive, so that Enter opens the entry that was drawn', () => {
    const driver = openConsole();
    driver.type(`${CTRL_P}db-0`);
    const before = entries(driver);
    driver.change({ events: byKey([anEventRow({ client: 'db-0', check: 'a' })]) });
    driver.frame();
    expect(entries(driver)).toEqual(before);
  });

  test('a search over 100,000 events shows at most 50 entries, the worst events first', () => {
    const events = Array.from({ length: 100_000 }, (_, index) =>
      anEventRow({ client: `host-${String(index)}`, check: 'disk', status: index === 77_777 ? 2 : 1 }),
    );
    const driver = new ConsoleDriver().goLive({ events: byKey(events) });
    driver.type(`${CTRL_P}disk host`);
    expect(entries(driver)).toHaveLength(50);
    driver.type(' 77777');
    expect(entries(driver)).toEqual(['event host-77777/disk']);
  });
});

function isChosen({ store }: ConsoleDriver, entry: string): boolean {
  const layer = store.state.layers.at(-1);
  return layer?.kind === 'menu' && layer.at === entry;
}
