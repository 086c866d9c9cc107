import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { incomingFromApi } from '../../../../daemon/backend/results/write.ts';
import { simulateResult } from '../../../../daemon/backend/results/simulate.ts';
import type { HandlingNote } from '../../../../daemon/backend/notify/route.ts';
import { readClient } from '../../../../daemon/backend/clients/read.ts';
import type { HandlerJob } from '../../../../shared/schemas/handler-job.ts';
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

/** Returns the verdicts that a simulation of a result shows, by handler. */
async function simulated(rig: HandlingRig, result: Record<string, unknown>): Promise<Map<string, string>> {
  const { registry, routing, store, clock } = rig;
  const namespace = registry.namespace(DEFAULT_NAMESPACE);
  const nowMs = clock.now();
  const incoming = incomingFromApi(result as never, rig.definitions.in(DEFAULT_NAMESPACE), Math.floor(nowMs / 1000));
  const record = await readClient(store, namespace.clients.get(incoming.client));
  const parts = { namespace, record, routing, registry, nowMs, newId: () => 'new', rulesAfter: () => [] };
  return new Map(simulateResult(parts, incoming).handlers.map(({ handler, verdict }) => [handler, verdict]));
}

test('a simulation shows the verdicts that the commit of the result then applies', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(steps, { minLength: 20, maxLength: 60 }), async (story) => {
      const rig = await openGroupRig(SECTIONS);
      const notes: HandlingNote[] = [];
      const jobs: HandlerJob[] = [];
      rig.batcher.commits.onCommit((commit) => {
        notes.push(...commit.handlingNotes);
        jobs.push(...commit.jobs);
      });
      for (const step of story) {
        if (step.kind === 'silence') await rig.silenced.create(DEFAULT_NAMESPACE, { check: step.check });
        else if (step.kind === 'clear') {
          const isThere = rig.registry.namespace(DEFAULT_NAMESPACE).silenced.get(`*:${step.check}`) !== undefined;
          if (isThere) await rig.silenced.clear(DEFAULT_NAMESPACE, { check: step.check });
        } else if (step.kind === 'pass') await pass(rig, step.seconds);
        else {
          await settle(rig);
          const { check: name, status, handlers } = step;
          const result = { name, source: 'web-1', status, output: '', handlers: [...handlers], occurrences: 3 };
          const expected = await simulated(rig, result);
          notes.length = 0;
          jobs.length = 0;
          await rig.results.submit(DEFAULT_NAMESPACE, [result]);
          const own = notes.filter((note) => note.check === name);
          const applied = new Map(
            own.flatMap((note) => note.verdicts.map(({ handler, verdict }) => [handler, verdict])),
          );
          for (const { handler, group } of jobs) if (group === undefined) applied.set(handler, 'handle');
          const shown = new Map(
            [...expected].filter(([handler, verdict]) => handler !== 'group' || verdict !== 'handle'),
          );
          expect(Object.fromEntries(applied)).toEqual(Object.fromEntries(shown));
        }
      }
      await rig.stop();
    }),
    { numRuns: propertyRuns(10) },
  );
});
