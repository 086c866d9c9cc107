import * as fc from 'fast-check';
import { expect, test } from 'vitest';
import { CheckRenamer } from '../../../../../daemon/backend/checks/rename.ts';
import { groupsOf } from '../../../../../daemon/backend/model/notify/groups/state.ts';
import { worstStatus } from '../../../../../shared/domain/notify/group-flush.ts';
import { changeSinceNotified } from '../../../../../shared/domain/notify/group-member.ts';
import { severityOf } from '../../../../../shared/domain/severity.ts';
import type { HandlerJob } from '../../../../../shared/schemas/handler-job.ts';
import { DEFAULT_NAMESPACE } from '../../../../../shared/schemas/namespace.ts';
import { groupingPipe, openGroupRig, pass, settled, type GroupRig } from '../../../../support/group-rig.ts';
import { propertyRuns } from '../../../../support/property-runs.ts';
import { tempDir } from '../../../../support/temp-dir.ts';

const CLIENTS = ['a-1', 'a-2', 'b-1'] as const;

const step = fc.oneof(
  { weight: 8, arbitrary: fc.tuple(fc.constant('report' as const), fc.nat(2), fc.constantFrom(0, 1, 2, 2)) },
  { weight: 5, arbitrary: fc.tuple(fc.constant('pass' as const), fc.constantFrom(1, 20, 40, 300, 1000)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('move' as const), fc.nat(2), fc.constantFrom('a', 'b')) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('rename' as const), fc.constantFrom('disk', 'disk-usage')) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('kill' as const), fc.constantFrom(0, 30, 300)) },
  { weight: 1, arbitrary: fc.tuple(fc.constant('regroup' as const), fc.constantFrom('client.rack', 'check')) },
);

const sections = (by: string): Parameters<typeof openGroupRig>[0] => ({
  handlers: { default: groupingPipe({ group_by: [by], repeat_interval: 900 }) },
});

/**
 * A receiver that trusts each notification: it stores the last notified status of each client until its problem is
 * resolved.
 */
class Receiver {
  readonly lastNotified = new Map<string, number>();
  readonly wrong: string[] = [];

  takeJobs(jobs: readonly HandlerJob[]): void {
    for (const { group } of jobs) {
      for (const { change, client, check } of group?.events ?? []) {
        const before = this.lastNotified.get(client.name);
        const isRight = {
          new: before === undefined,
          same: before === check.status,
          changed: before !== undefined && before !== check.status,
          resolved: before !== undefined,
        };
        if (!isRight[change])
          this.wrong.push(`${client.name} ${change} ${String(check.status)}; notified before: ${String(before)}`);
        if (change === 'resolved') this.lastNotified.delete(client.name);
        else this.lastNotified.set(client.name, check.status);
      }
    }
  }
}

async function reopened(rig: GroupRig, dir: string, by: string, seconds: number): Promise<GroupRig> {
  // The store rejects every write, so that everything that becomes due now is lost with the backend.
  rig.store.refuses = () => true;
  rig.clock.advance(seconds * 1000);
  await rig.stop().catch(() => undefined);
  return await openGroupRig(sections(by), { dir, clock: rig.clock });
}

/** Returns the tally of each group, which the backend updates with every change. */
function talliesIn(rig: GroupRig): object[] {
  const groups = [...groupsOf(rig.registry.namespace(DEFAULT_NAMESPACE)).all()];
  return groups.map(({ id, tally: { firingCount: firing, pendingCount: waiting, worstSeverity: worst } }) => ({
    id,
    firing,
    waiting,
    worst,
  }));
}

/** Returns the values of `talliesIn`, counted again from the members of each group. */
function countsIn(rig: GroupRig): object[] {
  const groups = [...groupsOf(rig.registry.namespace(DEFAULT_NAMESPACE)).all()];
  return groups.map(({ id, members }) => {
    const shown = [...members.values()].filter(({ lastNotified }) => lastNotified !== 'inhibited');
    const firing = shown.filter(({ isResolved }) => !isResolved);
    return {
      id,
      firing: firing.length,
      waiting: shown.filter((member) => changeSinceNotified(member) !== 'same').length,
      worst: severityOf(worstStatus(firing.map(({ status }) => status))),
    };
  });
}

test('random results, silences and restarts repeat or lose no group notification, and the shown counts are right', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { minLength: 5, maxLength: 30, size: 'max' }), async (story) => {
      const dir = await tempDir();
      const receiver = new Receiver();
      const status = new Map<string, number>();
      let by = 'client.rack';
      let check = 'disk';
      let rig = await openGroupRig(sections(by), { dir });
      for (const name of CLIENTS) {
        await rig.clients.put(DEFAULT_NAMESPACE, { name, address: 'x', rack: name.slice(0, 1) });
      }
      for (const [kind, first, second] of story) {
        const source = CLIENTS[Number(first)] ?? 'a-1';
        if (kind === 'report') {
          await rig.report(second, { source, name: check });
          status.set(source, second);
        } else if (kind === 'pass') {
          await pass(rig, first);
        } else if (kind === 'move') {
          await rig.clients.put(DEFAULT_NAMESPACE, { name: source, address: 'x', rack: second });
        } else if (kind === 'rename') {
          if (first === check || status.size === 0) continue;
          await new CheckRenamer(rig).rename(DEFAULT_NAMESPACE, { from: check, to: first, isForced: false });
          check = first;
        } else if (kind === 'regroup') {
          by = first;
          rig.reload(sections(by));
        } else {
          await settled(rig);
          receiver.takeJobs(rig.takeJobs());
          rig = await reopened(rig, dir, by, first);
        }
        receiver.takeJobs(rig.takeJobs());
        await settled(rig);
        expect(talliesIn(rig)).toEqual(countsIn(rig));
      }
      // In this time every group is flushed, and open events are notified again.
      for (let round = 0; round < 4; round++) await pass(rig, 400);
      receiver.takeJobs(rig.takeJobs());
      const open = [...status].filter(([, last]) => last !== 0);
      expect(receiver.wrong).toEqual([]);
      expect(Object.fromEntries(receiver.lastNotified)).toEqual(Object.fromEntries(open));
      await rig.stop();
    }),
    { numRuns: propertyRuns(12) },
  );
});
