import fc from 'fast-check';
import type { DeadLetterSummary } from '../../shared/schemas/dead-letter.ts';
import type { FeedRows } from '../../shared/schemas/feed.ts';
import { eventKey } from '../../shared/domain/event-key.ts';
import { aClientRow, anEventRow, aSilencedRow } from '../support/feed-rows.ts';
import { ManualClock } from '../support/manual-clock.ts';
import type { TargetRound } from '../support/target-round.ts';

export const CHECKS = ['k', 'l'];
const LETTERS = 6;

/** Performs an action of a user, or a change by the backend, on a console. */
export type Step = (round: TargetRound) => void;

/** Returns a generator of all actions on a console that shows these clients. */
export function targetSteps(clients: readonly string[]): fc.Arbitrary<Step> {
  const client = fc.constantFrom(...clients);
  const check = fc.constantFrom(...CHECKS);

  const eventChange = fc
    .record({
      client,
      check,
      status: fc.constantFrom(1, 2, 3),
      since: fc.integer({ min: 1, max: 20 }),
      isSilenced: fc.boolean(),
      isGone: fc.boolean(),
    })
    .map(({ isSilenced, isGone, ...about }): FeedRows => {
      const row = anEventRow({ ...about, silenced_by: isSilenced ? [`client:${about.client}:${about.check}`] : [] });
      return { events: { [eventKey(row.client, row.check)]: isGone ? null : row } };
    });

  const silenceChange = fc
    .record({
      client,
      check: fc.constantFrom(...CHECKS, null),
      minutes: fc.integer({ min: 1, max: 90 }),
      isGone: fc.boolean(),
    })
    .map(({ isGone, ...about }): FeedRows => {
      const entry = silenceOf(about.client, about.check, about.minutes);
      return { silenced: { [entry.id]: isGone ? null : entry } };
    });

  const clientChange = fc
    .record({ client, age: fc.integer({ min: 0, max: 500 }), isGone: fc.boolean() })
    .map(({ isGone, ...about }): FeedRows => {
      const row = aClientRow({ name: about.client, timestamp: ManualClock.START_MS / 1000 - about.age });
      return { clients: { [about.client]: isGone ? null : row } };
    });

  const letterChange = fc.subarray([...allLetters()]);

  const feedChange = fc.oneof({ weight: 3, arbitrary: eventChange }, silenceChange, clientChange);

  const act = fc.record({
    key: fc.constantFrom('s', 'S', 'K', 'u', 'r', 'R', 'D', 'T', 'z', 'e', 'N', 'x', ':'),
    down: fc.constantFrom(0, 0, 1, 2),
  });

  const choice = fc.integer({ min: 0, max: 8 });

  return fc.oneof(
    {
      weight: 10,
      arbitrary: feedChange.map(
        (rows): Step =>
          (round) =>
            round.change(rows),
      ),
    },
    {
      weight: 1,
      arbitrary: feedChange.map(
        (rows): Step =>
          (round) =>
            round.snapshot({ ...everything(clients), ...rows }),
      ),
    },
    {
      weight: 4,
      arbitrary: fc.constantFrom(10, 100, 500, 6000).map(
        (ms): Step =>
          (round) =>
            round.pass(ms),
      ),
    },
    {
      weight: 4,
      arbitrary: fc.constantFrom('j', 'k', 'G', 'g', 'jjj', 'p', 'O', '\r', 'F\r', '/a\r', '/\u0015\r', 'escape').map(
        (keys): Step =>
          (round) =>
            round.use(keys),
      ),
    },
    {
      weight: 3,
      arbitrary: fc.constantFrom(' ', ' ', 'V', 'a', 'A').map(
        (keys): Step =>
          (round) =>
            round.use(keys),
      ),
    },
    {
      weight: 2,
      arbitrary: fc.constantFrom('1', '2', '2', '3', '4', '5', '6').map(
        (digit): Step =>
          (round) =>
            round.look(digit),
      ),
    },
    {
      weight: 2,
      arbitrary: letterChange.map(
        (letters): Step =>
          (round) =>
            round.letters(letters),
      ),
    },
    { weight: 1, arbitrary: fc.constant<Step>((round) => round.lookAtLetters()) },
    {
      weight: 4,
      arbitrary: act.map(
        ({ key, down }): Step =>
          (round) =>
            round.act(key, down),
      ),
    },
    {
      weight: 4,
      // The rows change while the dialog is open.
      arbitrary: fc.tuple(act, feedChange, choice).map(([{ key, down }, rows, place]): Step => (round) => {
        round.act(key, down);
        round.change(rows);
        round.pass(100);
        round.agree(place);
        round.agree(place);
      }),
    },
    {
      weight: 4,
      arbitrary: choice.map(
        (place): Step =>
          (round) =>
            round.agree(place),
      ),
    },
  );
}

/** Returns feed rows in which each check of each client fails, with one silence and one client row for each client. */
export function everything(clients: readonly string[]): FeedRows {
  const events = clients.flatMap((name, index) =>
    CHECKS.map((one) => anEventRow({ client: name, check: one, since: index + 1, status: 1 + (index % 3) })),
  );
  const silences = clients.map((name, index) => silenceOf(name, 'k', 10 + index));
  return {
    events: Object.fromEntries(events.map((row) => [eventKey(row.client, row.check), row])),
    silenced: Object.fromEntries(silences.map((entry) => [entry.id, entry])),
    clients: Object.fromEntries(clients.map((name) => [name, aClientRow({ name })])),
  };
}

export function allLetters(): readonly DeadLetterSummary[] {
  return Array.from({ length: LETTERS }, (_, index) => ({
    id: index + 1,
    handler: 'pager',
    client: 'abcdef'.charAt(index),
    check: 'k',
    queued_at: 100 - index,
    failed_at: 200 - index,
    attempts: 1 + index,
    reason: 'it answered 503',
  }));
}

function silenceOf(name: string, one: string | null, minutes: number): ReturnType<typeof aSilencedRow> {
  const subscription = `client:${name}`;
  const end = ManualClock.START_MS / 1000 + minutes * 60;
  return aSilencedRow({ id: `${subscription}:${one ?? '*'}`, subscription, check: one, expire_at: end });
}
