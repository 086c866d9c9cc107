import type { SubmittedV2Asset } from '../../schemas/v2/asset.ts';
import { readScript } from '../expression/script.ts';

/** A syntax error in a filter of an asset, and the path of this filter in the asset. */
interface AssetFilterProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/**
 * Returns the syntax errors in the filters of an asset. Agents evaluate the filters, and an agent never installs an
 * asset with an invalid one. As in Sensu Go, the filters of the asset itself are ignored if it has builds.
 */
export function assetFilterProblems({ filters, builds }: SubmittedV2Asset): readonly AssetFilterProblem[] {
  const isBuilt = (builds ?? []).length > 0;
  const lists = isBuilt
    ? (builds ?? []).map((build, at) => ({ path: ['builds', at, 'filters'], filters: build.filters }))
    : [{ path: ['filters'], filters }];
  return lists.flatMap(({ path, filters: sources }) =>
    (sources ?? []).flatMap((source, at) => {
      const script = readScript(source);
      if (script.kind === 'script') return [];
      const message = `is invalid at character ${String(script.position + 1)}: ${script.message}`;
      return [{ path: [...path, at], message }];
    }),
  );
}
