import fc from 'fast-check';
import { expect, test } from 'vitest';
import { eventKey, type EventRow, type SilencedRow } from '../../../shared/schemas/feed.ts';
import type { Effect } from '../../../tui/store/effects.ts';
import { byKey } from '../../support/console-rig.ts';
import { ConsoleDriver } from '../../support/console-driver.ts';
import { anEventRow, aSilencedRow } from '../../support/feed-rows.ts';
import { ManualClock } from '../../support/manual-clock.ts';

const CLIENTS = ['a', 'b', 'c', 'd', 'e', 'f', 'g', 'h'];

type Step =
  | { readonly kind: 'change'; readonly row: EventRow; readonly gone: boolean }
  | { readonly kind: 'frame'; readonly ms: number }
  | { readonly kind: 'move'; readonly keys: string }
  | { readonly kind: 'silence'; readonly client: string; readonly minutes: number; readonly gone: boolean }
  | { readonly kind: 'act'; readonly key: 's' | 'r' | 'u' | 'K' | 'D' | 'e' | 'n' };

const rowArbitrary = fc
  .record({
    client: fc.constantFrom(...CLIENTS),
    status: fc.constantFrom(1, 2, 3),
    since: fc.integer({ min: 1, max: 20 }),
    silenced_by: fc.constantFrom<readonly string[]>([], [], ['x']),
  })
  // The silence of each event has the event's name, so that the effect tells which event was meant.
  .map(({ silenced_by, ...about }) =>
    anEventRow({ ...about, check: 'k', silenced_by: silenced_by.map(() => `client:${about.client}:k`) }),
  );

const stepArbitrary: fc.Arbitrary<Step> = fc.oneof(
  { weight: 6, arbitrary: fc.record({ kind: fc.constant('change'), row: rowArbitrary, gone: fc.boolean() }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('frame'), ms: fc.constantFrom(10, 100, 500) }) },
  {
    weight: 3,
    arbitrary: fc.record({ kind: fc.constant('move'), keys: fc.constantFrom('j', 'k', 'G', 'g', '3j', 'e') }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('act'), key: fc.constantFrom('s', 'r', 'u', 'K', 'D') }) },
);

test('an action is never about another event than the one that was drawn under the cursor', () => {
  let actions = 0;
  const astray: string[] = [];
  fc.assert(
    fc.property(fc.array(stepArbitrary, { minLength: 5, maxLength: 60 }), (steps) => {
      const driver = new ConsoleDriver().goLive({
        events: byKey(CLIENTS.map((client, index) => anEventRow({ client, check: 'k', since: index }))),
      });
      for (const step of steps) {
        if (step.kind === 'change') {
          const key = eventKey(step.row.client, step.row.check);
          driver.change({ events: { [key]: step.gone ? null : step.row } });
        }
        if (step.kind === 'frame') driver.pass(step.ms);
        if (step.kind === 'move') driver.type(step.keys);
        if (step.kind === 'act') {
          const drawn = driver.store.list.cursor.key;
          driver.effects();
          driver.type(step.key);
          const keys = actedOn(driver);
          actions += keys.length;
          astray.push(...keys.filter((key) => key !== drawn));
          while (driver.store.state.layers.length > 0) driver.escape();
        }
      }
      expect(astray).toEqual([]);
    }),
    { numRuns: 1000 },
  );
  // The property would hold for a console that does nothing.
  expect(actions).toBeGreaterThan(1000);
});

const SILENCE_STEPS: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('silence'),
      client: fc.constantFrom(...CLIENTS),
      minutes: fc.integer({ min: 1, max: 90 }),
      gone: fc.boolean(),
    }),
  },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('frame'), ms: fc.constantFrom(10, 100, 6000) }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('move'), keys: fc.constantFrom('j', 'k', 'G', 'g', '3j') }) },
  { weight: 3, arbitrary: fc.record({ kind: fc.constant('act'), key: fc.constantFrom('e', 'u', 'D', 'n') }) },
);

test('nor about another silence', () => {
  let actions = 0;
  const astray: string[] = [];
  fc.assert(
    fc.property(fc.array(SILENCE_STEPS, { minLength: 5, maxLength: 60 }), (steps) => {
      const driver = new ConsoleDriver().goLive({
        silenced: Object.fromEntries(CLIENTS.map((client) => [silenceOf(client, 10).id, silenceOf(client, 10)])),
      });
      driver.type('3');
      driver.pass(400);
      for (const step of steps) {
        if (step.kind === 'silence') {
          const entry = silenceOf(step.client, step.minutes);
          driver.change({ silenced: { [entry.id]: step.gone ? null : entry } });
        }
        if (step.kind === 'frame') driver.pass(step.ms);
        if (step.kind === 'move') driver.type(step.keys);
        if (step.kind === 'act') {
          const drawn = driver.store.list.cursor.key;
          driver.type(step.key);
          const ids = silencesActedOn(driver);
          actions += ids.length;
          astray.push(...ids.filter((id) => id !== drawn));
          while (driver.store.state.layers.length > 0) driver.escape();
        }
      }
      expect(astray).toEqual([]);
    }),
    { numRuns: 500 },
  );
  expect(actions).toBeGreaterThan(500);
});

function silenceOf(client: string, minutes: number): SilencedRow {
  const subscription = `client:${client}`;
  const end = ManualClock.START_MS / 1000 + minutes * 60;
  return aSilencedRow({ id: `${subscription}:k`, subscription, check: 'k', expire_at: end });
}

/** Ids of the silences that the open dialog is about. */
function silencesActedOn(driver: ConsoleDriver): readonly string[] {
  const layer = driver.store.state.layers.at(-1);
  if (layer?.kind === 'silence') return layer.form.origin?.entries.map(({ id }) => id) ?? [];
  if (layer?.kind !== 'confirm' || layer.effect?.kind !== 'change') return [];
  return layer.effect.change.operations.flatMap((operation) => (operation.op === 'clear' ? [operation.id] : []));
}

/** Keys of the events that the last key was about: in a dialog, in an effect, or in a confirmed effect. */
function actedOn(driver: ConsoleDriver): readonly string[] {
  const layer = driver.store.state.layers.at(-1);
  const effects: Effect[] = [...driver.effects()];
  if (layer?.kind === 'silence') return layer.form.targets.map(({ key }) => key);
  if (layer?.kind === 'confirm' && layer.effect !== undefined) effects.push(layer.effect);
  return effects.flatMap((effect) => {
    if (effect.kind === 'delete-events') return effect.targets.map(({ key }) => key);
    if (effect.kind !== 'change') return [];
    return effect.change.operations.flatMap((operation) => {
      if (operation.op === 'resolve') return eventKey(operation.client, operation.check);
      if (operation.op === 'clear') return `${operation.id.split(':')[1] ?? ''}/k`;
      return operation.op === 'silence' ? `${operation.subscription?.split(':')[1] ?? ''}/k` : [];
    });
  });
}
