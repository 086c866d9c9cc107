import type { UpgradeFacts } from '../../schemas/plan.ts';
import { isOlder, parseVersion, versionText, type Version } from './version.ts';

/** From here on a version is one of the newer generation, and below it one of this program. */
const V2_MAJOR = 5;

/** A backend has a version of its own, and the level of version 2 that it is compatible with. */
interface BackendVersions {
  readonly own: string;
  readonly level: string;
}

/**
 * Who is not where the upgrade was to lead (reference 9.2.8): the backend by the numbering that the plan is in, and
 * agents by that of their own. Ours come with the backend and have its version; of the newer generation older ones are
 * named too, because that is what the step is for.
 *
 * @returns as `default/web-1 (6.4.0)`; empty: all agree
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

function isAtLeast(version: string, wanted: Version): boolean {
  const parsed = parseVersion(version);
  return parsed !== undefined && !isOlder(parsed, wanted);
}

function isV2([major]: Version): boolean {
  return major >= V2_MAJOR;
}
