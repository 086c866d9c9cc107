import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeAll, describe, expect, test } from 'vitest';
import { BACKEND_ACTOR } from '../../../daemon/backend/model/audit/mutations.ts';
import { EntityLimit } from '../../../daemon/backend/model/clients/entity-limit.ts';
import { V2Events } from '../../../daemon/backend/events/v2-write.ts';
import { validateResult } from '../../../daemon/backend/results/validate-result.ts';
import { builtInFilter, filterV2Event } from '../../../shared/domain/filter-event.ts';
import { resultOfEvent } from '../../../shared/domain/v2/event.ts';
import { v2EventFilterOf } from '../../../shared/domain/v2/filter.ts';
import type { HandledEvent } from '../../../shared/schemas/handler-job.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import { v2EventSchema } from '../../../shared/schemas/v2/event.ts';
import { HandlingRig } from '../../support/handling-rig.ts';
import { ManualClock } from '../../support/manual-clock.ts';
import {
  BEGIN_SECONDS,
  CHECK,
  FILTERS,
  INTERVAL_SECONDS,
  SILENCED,
  STATUSES,
  type FilterVerdicts,
} from './filter-verdicts.ts';

const NO_EVENTS = { has: () => false, hasOfSubscription: () => false };

let events: readonly HandledEvent[];

beforeAll(async () => {
  events = await handledEvents();
});

/** Returns the events that a handler without filters gets when the results in `STATUSES` arrive. */
async function handledEvents(): Promise<readonly HandledEvent[]> {
  await using parts = new AsyncDisposableStack();
  const dir = await mkdtemp(join(tmpdir(), 'mon-test-'));
  parts.defer(() => rm(dir, { recursive: true, force: true }));
  const all = { type: 'pipe', command: 'true', event_format: 'core', handle_silenced: true, handle_flapping: true };
  const clock = new ManualClock(BEGIN_SECONDS * 1000);
  const rig = parts.use(await HandlingRig.open({ handlers: { all } }, { dir, clock, renotifiesAfterSilence: false }));
  const { batcher, definitions, registry } = rig;
  const v2Events = new V2Events({ batcher, definitions, entityLimit: new EntityLimit(registry, () => 'unlimited') });
  const handled: HandledEvent[] = [];
  for (const [at, status] of STATUSES.split('').entries()) {
    if (at > 0) clock.advance(INTERVAL_SECONDS * 1000);
    if (at === SILENCED[0]) await rig.silenced.create(DEFAULT_NAMESPACE, { subscription: 'client:web-1' });
    if (at === SILENCED[1]) await rig.silenced.clear(DEFAULT_NAMESPACE, { id: 'client:web-1:*' });
    const event = v2EventSchema.parse({
      timestamp: BEGIN_SECONDS + at * INTERVAL_SECONDS,
      entity: { entity_class: 'proxy', metadata: { name: 'web-1' } },
      check: { ...CHECK, status: Number(status), output: `status ${status}`, handlers: ['all'] },
    });
    const result = validateResult(resultOfEvent(event, { entity: 'web-1', check: 'disk' }));
    const entity = { entity_class: 'proxy', metadata: { name: 'web-1' } };
    await v2Events.write(
      DEFAULT_NAMESPACE,
      { client: 'web-1', check: 'disk' },
      () => ({ entity, result, isResolution: false }),
      BACKEND_ACTOR,
    );
    handled.push(...rig.takeJobs().map((job) => job.event));
  }
  return handled;
}

function verdictsOf({ name, action, expressions }: FilterVerdicts): string {
  const metadata = { name, namespace: DEFAULT_NAMESPACE };
  const filter = expressions && v2EventFilterOf({ metadata, action: action ?? 'allow', expressions: [...expressions] });
  if (filter !== undefined && 'problem' in filter) return filter.problem;
  const builtIn = filter === undefined ? builtInFilter(name) : undefined;
  return events
    .map((event) => {
      const moment = { nowMs: event.timestamp * 1000, zone: 'UTC' };
      const verdict =
        filter === undefined
          ? builtIn?.(event, NO_EVENTS)
          : filterV2Event(filter, { namespace: DEFAULT_NAMESPACE, event }, moment);
      return verdict?.kind === 'pass' ? 'y' : '.';
    })
    .join('');
}

test('a handler of the v2 API without filters gets each of the forty recorded results', () => {
  expect(events.map(({ check }) => check.status).join('')).toBe(STATUSES);
  expect(STATUSES).toHaveLength(40);
});

test('the recordings of Sensu Go cover at least 26 filters, each with a verdict for every result', () => {
  expect(FILTERS.length).toBeGreaterThanOrEqual(26);
  for (const { verdicts, ownVerdicts } of FILTERS) {
    expect(verdicts).toMatch(/^[.y]{40}$/);
    // A listed difference must be removed from the table when it no longer exists.
    expect(ownVerdicts?.verdicts).not.toBe(verdicts);
  }
});

describe('the results that a filter of the v2 API passes', () => {
  test.each(FILTERS)(
    'a handler with the filter $name gets the same results as in Sensu Go, except for listed differences',
    (filter) => {
      expect(verdictsOf(filter)).toBe(filter.ownVerdicts?.verdicts ?? filter.verdicts);
    },
  );
});
