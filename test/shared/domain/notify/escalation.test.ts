import { describe, expect, test } from 'vitest';
import {
  escalationAfterStep,
  escalationProgress,
  isStepDue,
  nextEscalationStep,
  pauseEscalation,
  plannedSteps,
  resumeEscalation,
  startEscalation,
} from '../../../../shared/domain/notify/escalation.ts';
import type { EscalationState, EscalationStep } from '../../../../shared/schemas/escalation.ts';

const NOW = 1_800_000_000;
const STEPS: readonly EscalationStep[] = [
  { notify: ['chat'] },
  { notify: ['ada'], after: 600 },
  { notify: ['boss'], after: 1800, repeat: 900 },
];

/** A change of an escalation, with its time in seconds after the start. */
type Occasion = readonly [kind: 'step' | 'pause' | 'resume', at: number];

function playOccasions(steps: readonly EscalationStep[], occasions: readonly Occasion[]): EscalationState {
  let escalation = startEscalation('page', steps, 1, NOW);
  for (const [kind, at] of occasions) {
    const now = NOW + at;
    if (kind === 'pause') escalation = pauseEscalation(escalation, now);
    else if (kind === 'resume') escalation = resumeEscalation(escalation, now);
    else {
      const notified = nextEscalationStep(steps, escalation)?.notify ?? [];
      escalation = escalationAfterStep(steps, escalation, { notified, status: 1, now });
    }
  }
  return escalation;
}

describe('the due times of the steps of an escalation (on-call 2)', () => {
  test.each<{ name: string; occasions: readonly Occasion[]; due?: number; remaining?: number; step: number }>([
    { name: 'the first step is due at once', occasions: [], due: 0, step: 0 },
    { name: 'the second step is due at its time', occasions: [['step', 0]], due: 600, step: 1 },
    {
      name: 'times count from the start of the escalation',
      occasions: [
        ['step', 0],
        ['step', 600],
      ],
      due: 1800,
      step: 2,
    },
    {
      name: 'a step that is late moves the later steps',
      occasions: [
        ['step', 0],
        ['step', 5000],
      ],
      due: 6200,
      step: 2,
    },
    {
      name: 'the last step is repeated',
      occasions: [
        ['step', 0],
        ['step', 600],
        ['step', 1800],
      ],
      due: 2700,
      step: 3,
    },
    {
      name: 'a pause keeps the time that is left',
      occasions: [
        ['step', 0],
        ['pause', 240],
      ],
      remaining: 360,
      step: 1,
    },
    {
      name: 'a second pause within a pause changes nothing',
      occasions: [
        ['step', 0],
        ['pause', 240],
        ['pause', 300],
      ],
      remaining: 360,
      step: 1,
    },
    {
      name: 'after a pause the escalation continues where it was',
      occasions: [
        ['step', 0],
        ['pause', 240],
        ['resume', 4000],
      ],
      due: 4360,
      step: 1,
    },
    {
      name: 'a pause after a missed time continues at once',
      occasions: [
        ['step', 0],
        ['pause', 700],
        ['resume', 4000],
      ],
      due: 4000,
      step: 1,
    },
  ])('$name', ({ occasions, due, remaining, step }) => {
    const escalation = playOccasions(STEPS, occasions);
    expect({ step: escalation.step, due: escalation.due, remaining: escalation.remaining }).toEqual({
      step,
      due: due === undefined ? undefined : NOW + due,
      remaining,
    });
  });

  test('the last step is repeated 20 times, and then nothing is due', () => {
    const steps: Occasion[] = Array.from({ length: 23 }, (_, at) => ['step', 600 * at]);
    const escalation = playOccasions(STEPS, steps);
    expect(escalation).toMatchObject({ step: 3, repeats: 20 });
    expect(isStepDue(escalation, NOW + 1_000_000)).toBe(false);
    expect(nextEscalationStep(STEPS, escalation)).toBeUndefined();
  });

  test('an escalation remembers each handler that it notified once', () => {
    const escalation = playOccasions(STEPS, [
      ['step', 0],
      ['step', 600],
      ['step', 1800],
      ['step', 2700],
    ]);
    expect(escalation.notified).toEqual(['chat', 'ada', 'boss']);
  });
});

describe('the texts about an escalation', () => {
  test('the plan names each step with its time and its handlers', () => {
    expect(plannedSteps(STEPS)).toBe(
      'it starts: step 1 at once (chat), step 2 after 10m (ada), step 3 after 30m (boss), repeated every 15m up to 20 times',
    );
  });

  test.each<{ name: string; occasions: readonly Occasion[]; at: number; text: string }>([
    {
      name: 'the progress names the last and the next step',
      occasions: [
        ['step', 0],
        ['step', 600],
      ],
      at: 840,
      text: 'step 2 of 3 was notified 4m ago (ada); step 3 in 16m (boss)',
    },
    {
      name: 'the progress says that the escalation is paused',
      occasions: [
        ['step', 0],
        ['pause', 240],
      ],
      at: 3600,
      text: 'step 1 of 3 was notified 1h ago (chat); paused 6m before step 2 (ada)',
    },
    {
      name: 'the progress counts repetitions',
      occasions: [
        ['step', 0],
        ['step', 600],
        ['step', 1800],
        ['step', 2700],
      ],
      at: 2760,
      text: 'step 3 of 3 was notified again 1m ago (boss); repetition 2 of 20 in 14m (boss)',
    },
  ])('$name', ({ occasions, at, text }) => {
    expect(escalationProgress(STEPS, playOccasions(STEPS, occasions), NOW + at)).toBe(text);
  });

  test('the progress says that no step follows', () => {
    const steps = STEPS.slice(0, 1);
    expect(escalationProgress(steps, playOccasions(steps, [['step', 0]]), NOW + 60)).toBe(
      'step 1 of 1 was notified 1m ago (chat); no further step',
    );
  });
});
