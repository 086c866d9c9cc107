import { splitName } from './backend-names.ts';
import type { EventTarget } from './target.ts';

/** The names that occur in a list of targets, each once. */
interface TargetNames {
  readonly checks: readonly string[];
  readonly clients: readonly string[];
  /** True if the targets are from a merged list of several backends or namespaces. */
  readonly isMerged: boolean;
}

const namesByTargets = new WeakMap<readonly EventTarget[], TargetNames>();

/** Returns the names in a list of targets. They are collected once, because a dialog needs them for each frame. */
export function targetNames(targets: readonly EventTarget[]): TargetNames {
  const cached = namesByTargets.get(targets);
  if (cached !== undefined) return cached;
  const clients = [...new Set(targets.map(({ client }) => client))];
  const names: TargetNames = {
    checks: [...new Set(targets.map(({ check }) => check))],
    clients,
    isMerged: clients.some((client) => splitName(client).context !== undefined),
  };
  namesByTargets.set(targets, names);
  return names;
}
