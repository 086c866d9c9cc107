import type { UpgradeFacts } from '../../schemas/plan.ts';
import { isOlder, parseVersion, versionText, type Version } from './version.ts';

/** Major versions from this one on are versions of Sensu Go; lower ones are versions of mon. */
const V2_MAJOR = 5;

/** The versions of a backend: its own (`own`), and the Sensu Go version with which it is compatible (`level`). */
interface BackendVersions {
  readonly own: string;
  readonly level: string;
}

/**
 * Returns the backend and agents that are not at the target version (reference 9.2.8). If the target is a version of
 * Sensu Go, it is compared with the backend's compatible version, otherwise with the backend's own version. An agent of
 * mon must have the same version as the backend. A Sensu Go agent must be at the target version or above.
 *
 * @returns texts such as `default/web-1 (6.4.0)`; empty if all agree
 */
export function differingVersions(
  to: Version,
  { backend, agents }: { readonly backend: BackendVersions; readonly agents: NonNullable<UpgradeFacts['agents']> },
): readonly string[] {
  const reached = isV2(to) ? backend.level : backend.own;
  const differing = agents
    .filter(({ version }) => !isExpected(version, to, backend))
    .map(({ namespace, name, version }) => `${namespace}/${name} (${version ?? 'unknown'})`);
  return isAtLeast(reached, to) ? differing : [`the backend (${reached})`, ...differing];
}

function isExpected(version: string | null, to: Version, { own }: BackendVersions): boolean {
  const parsed = version === null ? undefined : parseVersion(version);
  if (parsed === undefined) return false;
  if (isV2(parsed)) return isV2(to) && !isOlder(parsed, to);
  return versionText(parsed) === own;
}

function isAtLeast(version: string, minimum: Version): boolean {
  const parsed = parseVersion(version);
  return parsed !== undefined && !isOlder(parsed, minimum);
}

function isV2([major]: Version): boolean {
  return major >= V2_MAJOR;
}
