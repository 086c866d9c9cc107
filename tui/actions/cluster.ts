import { chooseNextLeader, leaderName } from '../../shared/domain/cluster.ts';
import { formatDuration } from '../../shared/domain/duration.ts';
import { safeLine } from '../../shared/domain/terminal-text.ts';
import type { ClusterMember } from '../../shared/schemas/cluster.ts';
import { openConfirmation } from '../form/confirm.ts';
import type { Action } from '../keys/action.ts';
import type { ActionPorts } from '../keys/action-ports.ts';
import { selectedRows, rowUnderCursor } from '../list/selected-rows.ts';
import type { LiveData } from '../model/live-data.ts';
import type { Screen } from '../state/ports.ts';
import { openLoadedLayer } from '../state/layer-loads.ts';

/** The actions on members of the cluster. */
export const CLUSTER_ACTIONS: readonly Action[] = [
  {
    name: 'hand-over',
    keys: ['H'],
    in: ['cluster', 'member'],
    help: 'make the cluster member at the cursor the leader; administrators only',
    hint: 'hand over',
    changes: true,
    run: (store) => confirmHandOver(store, selectedMemberId(store)),
  },
];

export function openMember(store: ActionPorts): void {
  const member = rowUnderCursor(store) as ClusterMember | undefined;
  if (member !== undefined) openLoadedLayer(store, 'member', member.id);
}

/**
 * Returns the id of the shown cluster member, or of the member under the cursor; `undefined` if there is no such
 * member, or if several members are marked.
 */
function selectedMemberId(store: ActionPorts): string | undefined {
  const layer = store.state.layers.at(-1);
  if (layer?.kind === 'member') return layer.id;
  const [member, ...others] = selectedRows(store) as readonly ClusterMember[];
  if (others.length > 0) store.say('select a single member: Esc clears the marks', 'problem');
  return others.length > 0 ? undefined : member?.id;
}

/** Opens a dialog that asks whether to make a member the leader, or shows a message why that is not possible. */
function confirmHandOver(store: Screen & Pick<LiveData, 'loads' | 'nowMs'>, to: string | undefined): void {
  const { data } = store.loads.loadOf('cluster');
  if (data === undefined || to === undefined) return;
  const { view, isAdministrator } = data;
  if (!isAdministrator) return store.say('only an administrator of all namespaces can change the leader', 'problem');
  const succession = chooseNextLeader(view, to);
  if (succession.kind === 'refused') return store.say(safeLine(succession.reason), 'problem');
  const name = safeLine(succession.member.name);
  const { leader } = view;
  const now =
    leader === null
      ? 'There is no leader at the moment.'
      : `${safeLine(leaderName(view) ?? '')} has been the leader for ${formatDuration(store.nowMs / 1000 - leader.since)}.`;
  openConfirmation(store, {
    title: `Hand over leadership to ${name}`,
    lines: [now, 'Writes wait until the handover is done; none of them fails.'],
    button: 'Hand over',
    count: 1,
    effect: { kind: 'hand-over', to, name },
  });
}
