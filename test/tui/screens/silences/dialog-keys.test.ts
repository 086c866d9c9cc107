import { describe, expect, test } from 'vitest';
import { ConsoleDriver } from '../../../support/console-driver.ts';
import { byKey, openRig } from '../../../support/console-rig.ts';
import { SCENE } from '../../../support/console-scene.ts';
import { aClientRow, anEventRow } from '../../../support/feed-rows.ts';

const BACK_TO_EXPIRES = '\u001B[Z'.repeat(3);

function openConsole(): ConsoleDriver {
  const events = ['a', 'b'].map((client, index) => anEventRow({ client, check: 'disk', since: 1000 - index }));
  return new ConsoleDriver().goLive({ events: byKey(events), clients: { a: aClientRow({ name: 'a' }) } });
}

function operations(driver: ConsoleDriver): readonly object[] {
  return driver.effects().flatMap((effect) => (effect.kind === 'change' ? effect.change.operations : []));
}

function form({ store }: ConsoleDriver): object | undefined {
  const layer = store.state.layers.at(-1);
  return layer?.kind === 'silence' ? layer.form : undefined;
}

describe('Enter in the silence dialog', () => {
  test('Enter in the field of the reason creates the silence', () => {
    const driver = openConsole();
    driver.type('sdisk swap\r');
    expect(operations(driver)).toMatchObject([{ op: 'silence', subscription: 'client:a', reason: 'disk swap' }]);
    expect(form(driver)).toBeUndefined();
  });

  test('Enter without a reason shows that a reason is required and sends nothing', () => {
    const driver = openConsole();
    driver.type('s\r');
    expect(operations(driver)).toEqual([]);
    expect(form(driver)).toMatchObject({ problem: 'a reason is required', field: 'reason' });
  });

  test('Enter in a field before the reason moves to the next field of the silence dialog', () => {
    const driver = openConsole();
    driver.type(`s${BACK_TO_EXPIRES}90m\r`);
    expect(form(driver)).toMatchObject({ field: 'on-resolve', custom: { text: '90m' } });
  });
});

describe('a duration that is typed on the choices of the silence dialog', () => {
  test.each([
    { typed: '15m', expire: 900 },
    { typed: '2h', expire: 7200 },
    { typed: '8h', expire: 28_800 },
    { typed: '24h', expire: 86_400 },
    { typed: 'never', expire: -1 },
  ])('the text $typed on the duration choices becomes the duration of the silence', ({ typed, expire }) => {
    const driver = openConsole();
    driver.type(`swhy${BACK_TO_EXPIRES}${typed}\u0013`);
    expect(operations(driver)).toMatchObject([{ expire }]);
  });
});

describe('a canceled silence dialog', () => {
  test('a canceled silence dialog says that nothing was silenced', () => {
    const driver = openConsole();
    driver.type('s');
    driver.escape();
    expect(driver.message).toBe('nothing was silenced');
  });

  test('the next silence dialog on the same event has all values of the canceled dialog', () => {
    const driver = openConsole();
    driver.type(`sdisk swap${BACK_TO_EXPIRES}90m\t\t\t\t\t\r`);
    expect(driver.message).toBe('nothing was silenced; the next silence dialog brings your text back');
    driver.type('s');
    expect(form(driver)).toMatchObject({ reason: { text: 'disk swap' }, custom: { text: '90m' }, field: 'reason' });
  });

  test('a canceled wide scope is not the scope of the next dialog', () => {
    const driver = openConsole();
    driver.type(`swhy\u001B[Z\u001B[Z\u001B[Z\u001B[Z\u001B[C`);
    expect(form(driver)).toMatchObject({ scope: 'checks' });
    driver.escape();
    driver.type('s');
    expect(form(driver)).toMatchObject({ scope: 'pairs', reason: { text: 'why' } });
  });

  test('the next silence dialog on another event has only the reason of the canceled dialog', () => {
    const driver = openConsole();
    driver.type(`sdisk swap${BACK_TO_EXPIRES}90m`);
    driver.escape();
    driver.type('js');
    expect(form(driver)).toMatchObject({
      targets: [{ client: 'b' }],
      reason: { text: 'disk swap' },
      custom: { text: '' },
    });
  });

  test('the next silence dialog after a submitted dialog is empty', () => {
    const driver = openConsole();
    driver.type('sdisk swap');
    driver.escape();
    driver.type('s\rjs');
    expect(form(driver)).toMatchObject({ targets: [{ client: 'b' }], reason: { text: '' } });
  });
});

describe('the confirmation of a silence of many events', () => {
  test('a search whose matches are not counted yet needs a second submission', () => {
    const driver = openConsole();
    driver.type('neverything\rclient~*\u0013');
    expect(form(driver)).toMatchObject({ field: 'reason', problem: 'a reason is required' });
    driver.type('why\u0013');
    expect(form(driver)).toMatchObject({ problem: 'the matches are not counted yet: press Ctrl-S again to confirm' });
    expect(operations(driver)).toEqual([]);
    driver.type('\u0013');
    expect(operations(driver)).toMatchObject([{ selector: 'client~*', reason: 'why' }]);
  });

  test('Enter goes to the button after the warning, so that a repeated key does not confirm', () => {
    const driver = openConsole();
    driver.type('neverything\rclient~*\t\t\t\twhy\r\r');
    expect(form(driver)).toMatchObject({ field: 'submit' });
    expect(operations(driver)).toEqual([]);
  });

  test('a large number of matches is confirmed even if the uncounted matches were', () => {
    const driver = openConsole();
    driver.type('neverything\rclient~*\t\t\t\twhy\u0013');
    driver.pass(200);
    const request = driver.store.takeEffects().find((effect) => effect.kind === 'load-silence-recent');
    const events = { total: 5000, critical: 5000, warning: 0, unknown: 0, ok: 0, silenced: 0, first: [] };
    driver.store.silenceRecent.answered(request?.key ?? '', { recovered: 0, since: 0, events });
    driver.type('\u0013');
    expect(form(driver)).toMatchObject({ problem: 'this silence covers 5,000 events: press Ctrl-S again to confirm' });
    expect(operations(driver)).toEqual([]);
  });

  test('an edited search needs the confirmation again', () => {
    const driver = openConsole();
    driver.type('neverything\rclient~*\t\t\t\twhy\u0013');
    driver.type('\u001B[Z\u001B[Z\u001B[Z\u001B[Zx\u0013');
    expect(form(driver)).toMatchObject({ problem: 'the matches are not counted yet: press Ctrl-S again to confirm' });
    expect(operations(driver)).toEqual([]);
  });

  test('a changed reason needs the confirmation again, because its message is gone', () => {
    const driver = openConsole();
    driver.type('neverything\rclient~*\t\t\t\twhy\u0013');
    driver.type(' not\u0013');
    expect(form(driver)).toMatchObject({ problem: 'the matches are not counted yet: press Ctrl-S again to confirm' });
    expect(operations(driver)).toEqual([]);
  });

  test('a wide scope is not stopped because the event has resolved', () => {
    const driver = openConsole();
    driver.type('swhy\u001B[Z\u001B[Z\u001B[Z\u001B[Z\u001B[C');
    driver.change({ events: { 'a/disk': null } });
    driver.type('\u0013');
    expect(operations(driver)).toMatchObject([{ check: 'disk', reason: 'why' }]);
  });
});

describe('the choices of the silence dialog', () => {
  const DOWN = '\u001B[B';
  const UP = '\u001B[A';

  test('the vertical arrow keys choose the scope and leave the list only at its ends', () => {
    const driver = openConsole();
    driver.type('s\u001Bs');
    expect(form(driver)).toMatchObject({ field: 'scope', scope: 'pairs' });
    driver.type(DOWN);
    expect(form(driver)).toMatchObject({ field: 'scope', scope: 'checks' });
    driver.type(DOWN);
    expect(form(driver)).toMatchObject({ field: 'scope', scope: 'clients' });
    driver.type(UP + UP);
    expect(form(driver)).toMatchObject({ field: 'scope', scope: 'pairs' });
    driver.type(UP);
    expect(form(driver)).toMatchObject({ field: 'cancel', scope: 'pairs' });
    driver.type(DOWN.repeat(5));
    expect(form(driver)).toMatchObject({ field: 'scope', scope: 'search' });
    driver.type(DOWN);
    expect(form(driver)).toMatchObject({ field: 'selector', scope: 'search' });
    driver.type(DOWN);
    expect(form(driver)).toMatchObject({ field: 'expires' });
  });

  test.each([
    { letter: 's', field: 'scope' },
    { letter: 'e', field: 'expires' },
    { letter: 'o', field: 'on-resolve' },
    { letter: 't', field: 'starts' },
    { letter: 'r', field: 'reason' },
  ])('Alt with the letter $letter goes to the field $field, also from a text field', ({ letter, field }) => {
    const driver = openConsole();
    driver.type(`swhy\u001B${letter}`);
    expect(form(driver)).toMatchObject({ field, reason: { text: 'why' } });
  });

  test('Alt with a letter of a field that is not shown does nothing', () => {
    const driver = openConsole();
    driver.type('s\u001Bz');
    expect(form(driver)).toMatchObject({ field: 'reason' });
  });

  test.each(['scope', 'expires', 'on-resolve', 'starts', 'submit', 'cancel'])(
    'words that are typed on %s go to the reason and change no choice',
    (field) => {
      const driver = openConsole();
      driver.type('s');
      const before = form(driver);
      for (let steps = 0; steps < 10 && focused(driver) !== field; steps += 1) driver.type('\t');
      expect(focused(driver)).toBe(field);
      driver.type('rolling back rc2, OPS-99');
      expect(form(driver)).toEqual({ ...before, reason: { text: 'rolling back rc2, OPS-99', caret: 24 } });
    },
  );

  test('the hints in the last line say how the focused field is changed', async () => {
    const rig = await openRig({ snapshot: SCENE });
    rig.type('s\u001Bs');
    await rig.shows('↑↓ choose');
    rig.type('\u001Be');
    await rig.shows('←→ choose', 'Alt-letter field');
    rig.type('\u001Bo');
    await rig.shows('Space change');
    rig.type('\u001Br');
    await rig.showsNo('choose');
    expect(rig.screen.lines.at(-1)).toMatch(/^ Tab next field/);
  });
});

function focused(driver: ConsoleDriver): unknown {
  const { field } = { field: undefined, ...form(driver) };
  return field;
}
