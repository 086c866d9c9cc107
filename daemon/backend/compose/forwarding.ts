import { Forwarding, type ForwardingDependencies } from '../cluster/forwarding/forwarding.ts';
import type { SharedCluster } from './cluster.ts';
import type { BackendOptions } from './options.ts';
import type { PartName } from './start-order.ts';
import type { Teardown } from './teardown.ts';

/** Creates the forwarding of requests and agents to the leader. @returns undefined if the store cannot be shared */
export function openForwarding(
  { openForwarding: open }: Pick<BackendOptions, 'openForwarding'>,
  shared: SharedCluster | undefined,
  parts: Omit<ForwardingDependencies, 'leadership' | 'signatures'>,
  teardown: Teardown<PartName>,
): Forwarding | undefined {
  if (open !== undefined) return teardown.use('forwarding', open(parts));
  if (shared === undefined) return undefined;
  const { member, signatures } = shared;
  return teardown.use('forwarding', new Forwarding({ ...parts, leadership: member, signatures }));
}
