import type { CoreAsset } from '../../schemas/core/asset.ts';
import type { CoreHook } from '../../schemas/core/hook.ts';
import type { Role, RoleRule } from '../../schemas/core/role.ts';

/*
 * Clients compare what they read with what they sent, and some decode strictly: kinds that came later show every attribute
 * of the peer, with its zero value where it was not sent (completion 1.17).
 */

export function wholeHook(hook: CoreHook): CoreHook {
  return { ...hook, stdin: hook.stdin ?? false, runtime_assets: hook.runtime_assets ?? null };
}

export function wholeAsset(asset: CoreAsset): CoreAsset {
  const { filters = null, headers = null, builds } = asset;
  return { ...asset, filters, builds: builds?.map(wholeBuild) ?? null, headers };
}

type Build = NonNullable<CoreAsset['builds']>[number];

function wholeBuild(build: Build): Build {
  return { ...build, filters: build.filters ?? null, headers: build.headers ?? null };
}

export function wholeRole(role: Role): Role {
  return { ...role, rules: role.rules.map(wholeRule) };
}

function wholeRule(rule: RoleRule): RoleRule {
  const { verbs = null, resources = null, resource_names: names = null } = rule;
  return { ...rule, verbs, resources, resource_names: names };
}
