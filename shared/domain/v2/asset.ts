import type { SubmittedV2Asset } from '../../schemas/v2/asset.ts';
import { readScript } from '../expression/script.ts';

/** A syntax error in a filter of an asset (a package that agents install), with the path of the filter. */
interface AssetFilterProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/**
 * Returns the syntax errors in the filters of an asset, by which agents decide whether they install it. An agent never
 * installs an asset with an invalid filter. As in Sensu Go, if the asset has builds, only their filters are used.
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
