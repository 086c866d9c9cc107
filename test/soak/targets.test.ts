/** @module-tag slow */
import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { InspectSubject, SubjectData } from '../../tui/state/layers/inspect.ts';
import { TargetRound } from '../support/target-round.ts';
import { rounds, roundsTimeoutMs, seed } from './rounds.ts';
import { allLetters, CHECKS, everything, targetSteps } from './target-steps.ts';

const ROUNDS = 600;

/**
 * Actions that must occur often in the random stories: a console that does nothing would also pass the other checks.
 */
const VERBS = [
  'silence',
  'repeat-silence',
  'acknowledge',
  'change-silence',
  'end-silence',
  'resolve',
  'undo',
  'delete-events',
  'delete-clients',
  'request-checks',
  'retry-letters',
  'drop-letters',
];
/** Actions of views that exist for a single backend, and not for a merged list. */
const ONE_BACKEND = new Set(['change-silence', 'delete-clients', 'retry-letters', 'drop-letters']);

describe('the target of a key', () => {
  test.each<{ name: string; clients: readonly string[]; members?: readonly string[]; verbs: readonly string[] }>([
    { name: 'of one backend', clients: ['a', 'b', 'c', 'd', 'e', 'f'], verbs: VERBS },
    {
      name: 'of two backends in one list, some of whose clients have the same names',
      clients: ['a@one', 'b@one', 'c@one', 'a@two', 'b@two', 'd@two'],
      members: ['one', 'two'],
      // A merged list has no views for the other actions.
      verbs: VERBS.filter((verb) => !ONE_BACKEND.has(verb)),
    },
  ])(
    'a key acts only on rows $name that were shown or marked, whatever the feed changes meanwhile',
    ({ clients, members, verbs }) => {
      const acted = new Map<string, number>();
      const stories = fc.array(targetSteps(clients), { minLength: 20, maxLength: 80, size: 'max' });
      fc.assert(
        fc.property(stories, (steps) => {
          const round = new TargetRound(everything(clients), subjectOf, members && { members });
          round.letters(allLetters());
          for (const take of steps) take(round);
          for (const [verb, count] of round.acted) acted.set(verb, (acted.get(verb) ?? 0) + count);
          expect(round.unintendedChanges).toEqual([]);
        }),
        { numRuns: rounds(ROUNDS), seed: seed() },
      );
      console.log(`rounds: ${String(rounds(ROUNDS))}; acted on:`, Object.fromEntries(acted));
      const seldom = verbs.filter((verb) => (acted.get(verb) ?? 0) <= rounds(ROUNDS) / 200);
      expect(seldom).toEqual([]);
    },
    roundsTimeoutMs(ROUNDS, 50),
  );
});

/** Returns the details of a client as a backend would return them; `undefined` for other kinds of subjects. */
function subjectOf({ kind, name }: InspectSubject): SubjectData | undefined {
  if (kind !== 'client') return undefined;
  return {
    kind,
    detail: {
      client: { name, address: '192.0.2.1', subscriptions: [`client:${name}`], timestamp: 100, version: '1.0.0' },
      checks: CHECKS.map((one) => ({
        name: one,
        status: 2,
        executed: 100,
        history: [0, 2],
        output: 'said',
        interval: 60,
        event: null,
        next_run: null,
      })),
    },
  };
}
