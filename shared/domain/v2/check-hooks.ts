import type { V2Asset } from '../../schemas/v2/asset.ts';
import type { V2Hook } from '../../schemas/v2/hook.ts';
import { textItemsOf } from '../attributes.ts';

/** The `check_hooks` of a check: lists of hooks by type, such as `[{"critical": ["ps"]}, {"1": ["df"]}]`. */
export type CheckHooks = readonly Readonly<Record<string, readonly string[] | null>>[];

/**
 * Adds hooks to those of a check, without duplicates. As in Sensu Go, each is added to the first list of its type. If
 * there is no such list, a new one is appended.
 */
export function addHooks(hooks: CheckHooks, more: Readonly<Record<string, readonly string[]>>): CheckHooks {
  const left = new Map(Object.entries(more));
  const extended = hooks.map((list) =>
    Object.fromEntries(
      Object.entries(list).map(([type, names]) => {
        const added = left.get(type) ?? [];
        left.delete(type);
        return [type, added.length === 0 ? names : [...new Set([...(names ?? []), ...added])]];
      }),
    ),
  );
  return [...extended, ...Array.from(left, ([type, names]) => ({ [type]: names }))];
}

/** Removes a hook of a type, and its list if it is then empty. Returns undefined if the check has no such hook. */
export function removeHook(hooks: CheckHooks, type: string, name: string): CheckHooks | undefined {
  if (!hooks.some((list) => list[type]?.includes(name))) return undefined;
  return hooks
    .map((list) =>
      Object.fromEntries(
        Object.entries(list).flatMap(([key, names]) => {
          if (key !== type) return [[key, names] as const];
          const left = (names ?? []).filter((one) => one !== name);
          return left.length === 0 ? [] : [[key, left] as const];
        }),
      ),
    )
    .filter((list) => Object.keys(list).length > 0);
}

/** Returns the names of the hooks of a check, in order and without duplicates. */
function hookNames(hooks: CheckHooks): readonly string[] {
  return [...new Set(hooks.flatMap((list) => Object.values(list).flatMap((names) => names ?? [])))];
}

/** The assets and hooks that a Sensu Go agent needs to run a check. */
export interface CheckNeeds {
  readonly assets: readonly V2Asset[];
  readonly hooks: readonly V2Hook[];
  /** The assets that hooks need, by the name of the hook. */
  readonly hookAssets: Readonly<Record<string, { readonly assets: readonly V2Asset[] }>>;
}

/** Access to the hooks and assets of a namespace. */
export interface NeedSource {
  hook(name: string): V2Hook | undefined;
  asset(name: string): V2Asset | undefined;
}

/** Returns the hooks and assets that a check needs. As in Sensu Go, those that do not exist are omitted. */
export function needsOf(
  { check_hooks: hooks, runtime_assets: assets }: Readonly<Record<string, unknown>>,
  source: NeedSource,
): CheckNeeds {
  const assetsOf = (names: unknown): readonly V2Asset[] =>
    textItemsOf(names).flatMap((name) => source.asset(name) ?? []);
  const definedHooks = hookNames(Array.isArray(hooks) ? (hooks as CheckHooks) : []).flatMap(
    (name) => source.hook(name) ?? [],
  );
  const withAssets = definedHooks.map(
    (hook) => [hook.metadata.name, { assets: assetsOf(hook.runtime_assets) }] as const,
  );
  return {
    assets: assetsOf(assets),
    hooks: definedHooks,
    hookAssets: Object.fromEntries(withAssets.filter(([, { assets: own }]) => own.length > 0)),
  };
}
