import { chooseNextLeader, chooseRemoval, leaderName } from '../../../shared/domain/cluster.ts';
import { MON_API } from '../../../shared/api/mon.ts';
import { MonError } from '../../../shared/errors.ts';
import { actorOf } from '../access/actor.ts';
import type { Audit } from '../model/audit/mutations.ts';
import { bodyValidator, readBody } from '../http/json-body.ts';
import { pathName } from '../http/path-name.ts';
import type { MonHandlers } from '../http/route.ts';
import type { Cluster } from './cluster.ts';

const validateHandOver = bodyValidator(MON_API.handOver);

interface ClusterDependencies {
  readonly cluster: Cluster;
  readonly audit: Audit;
}

/** Returns the route handlers of the mon API for the cluster state, the handover and the removal of a member. */
export function clusterOnMon({
  cluster,
  audit,
}: ClusterDependencies): MonHandlers<'cluster' | 'handOver' | 'removeMember'> {
  return {
    cluster: () => cluster.view(),
    handOver: async (request) => {
      const { to } = readBody(request, validateHandOver);
      const view = cluster.view();
      const succession = chooseNextLeader(view, to);
      if (succession.kind === 'refused') throw new MonError(succession.code, succession.reason);
      const { member } = succession;
      // Recorded before the handover, because this member cannot write to the audit trail afterwards.
      await audit.record(actorOf(request), {
        action: 'cluster.hand-over',
        target: member.name,
        before: { leader: leaderName(view) ?? null },
        after: { leader: member.name },
      });
      return await cluster.handOver(member.id);
    },
    removeMember: async (request) => {
      const removal = chooseRemoval(cluster.view(), pathName(request, 'id'));
      if (removal.kind === 'refused') throw new MonError(removal.code, removal.reason);
      const { id, name, url } = removal.member;
      const view = await cluster.remove(id);
      await audit.record(actorOf(request), { action: 'cluster.remove', target: name, before: { id, url } });
      return view;
    },
  };
}
