import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { incomingFromApi } from '../../../../daemon/backend/results/commands.ts';
import { simulateResult } from '../../../../daemon/backend/results/simulate.ts';
import { readClient } from '../../../../daemon/backend/model/clients/queries.ts';
import { DEFAULT_NAMESPACE } from '../../../../shared/schemas/namespace.ts';
import { groupingPipe, openGroupRig, pass } from '../../../support/group-rig.ts';
import type { HandlingRig } from '../../../support/handling-rig.ts';
import { propertyRuns } from '../../../support/property-runs.ts';
import { settle } from '../../../support/silence-rig.ts';

const PIPE = { type: 'pipe', command: 'true' };
const SECTIONS = {
  handlers: {
    all: PIPE,
    pager: { ...PIPE, severities: ['critical'] },
    audit: { ...PIPE, handle_silenced: true },
    group: groupingPipe({ group_by: ['check'] }),
    third: { ...PIPE, filter: 'occurrences' },
  },
  inhibitions: { behind: { source: 'check=switch', target: 'check=disk', equal: [] } },
};
const HANDLERS = ['all', 'pager', 'audit', 'group', 'third', 'missing'];

type Step =
  | { readonly kind: 'result'; readonly check: string; readonly status: number; readonly handlers: readonly string[] }
  | { readonly kind: 'silence'; readonly check: string }
  | { readonly kind: 'clear'; readonly check: string }
  | { readonly kind: 'pass'; readonly seconds: number };

const check = fc.constantFrom('disk', 'switch');
const steps: fc.Arbitrary<Step> = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      kind: fc.constant('result' as const),
      check,
      status: fc.integer({ min: 0, max: 3 }),
      handlers: fc.subarray(HANDLERS),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.oneof(
      fc.record({ kind: fc.constant('silence' as const), check }),
      fc.record({ kind: fc.constant('clear' as const), check }),
    ),
  },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant('pass' as const), seconds: fc.integer({ min: 1, max: 400 }) }),
  },
);

type Submitted = Parameters<HandlingRig['results']['submit']>[1][number];

/**
 * Returns the verdicts that a simulation of a result shows, by handler, without events that are only added to a group.
 */
async function simulated(rig: HandlingRig, result: Submitted): Promise<Record<string, string>> {
  const { registry, routing, store, clock } = rig;
  const namespace = registry.namespace(DEFAULT_NAMESPACE);
  const nowMs = clock.now();
  const incoming = incomingFromApi(result, rig.definitions.inNamespace(DEFAULT_NAMESPACE), Math.floor(nowMs / 1000));
  const record = await readClient(store, namespace.clients.get(incoming.client));
  const parts = { namespace, record, routing, registry, nowMs, newId: () => 'new', rulesAfter: () => [] };
  const { handlers } = simulateResult(parts, incoming);
  const loud = handlers.filter(({ handler, verdict }) => handler !== 'group' || verdict !== 'handle');
  return Object.fromEntries(loud.map(({ handler, verdict }) => [handler, verdict]));
}

/**
 * Submits a result, and returns the verdicts of its commit, by handler, without events that are only added to a group.
 */
async function applied(rig: HandlingRig, result: Submitted): Promise<Record<string, string>> {
  const verdicts = new Map<string, string>();
  const listening = rig.batcher.commits.onCommit(({ handlingNotes, jobs }) => {
    for (const note of handlingNotes) for (const { handler, verdict } of note.verdicts) verdicts.set(handler, verdict);
    for (const { handler, group } of jobs) if (group === undefined) verdicts.set(handler, 'handle');
  });
  await rig.results.submit(DEFAULT_NAMESPACE, [result]);
  listening[Symbol.dispose]();
  return Object.fromEntries(verdicts);
}

/** Performs a step that is not a result: advances the clock, or creates or clears a silence. */
async function prepare(rig: HandlingRig, step: Exclude<Step, { readonly kind: 'result' }>): Promise<void> {
  if (step.kind === 'pass') await pass(rig, step.seconds);
  else if (step.kind === 'silence') await rig.silenced.create(DEFAULT_NAMESPACE, { check: step.check });
  else if (rig.registry.namespace(DEFAULT_NAMESPACE).silenced.get(`*:${step.check}`) !== undefined) {
    await rig.silenced.clear(DEFAULT_NAMESPACE, { check: step.check });
  }
}

test('a simulation predicts for each handler exactly what the commit of the result then does', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 20, maxLength: 60 }), async (story) => {
      const rig = await openGroupRig(SECTIONS);
      const shown: object[] = [];
      const done: object[] = [];
      for (const step of story) {
        if (step.kind !== 'result') {
          await prepare(rig, step);
          continue;
        }
        await settle(rig);
        const { check: name, status, handlers } = step;
        const result = { name, source: 'web-1', status, output: '', handlers: [...handlers], occurrences: 3 };
        shown.push(await simulated(rig, result));
        done.push(await applied(rig, result));
      }
      await rig.stop();
      expect(done).toEqual(shown);
    }),
    { numRuns: propertyRuns(10) },
  );
});
