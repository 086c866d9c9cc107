import type { SubmittedV2Asset } from '../../schemas/v2/asset.ts';
import { readScript } from '../expression/script.ts';

/** A filter of an asset that is no expression, and where it stands. */
interface AssetFilterProblem {
  readonly path: readonly (string | number)[];
  readonly message: string;
}

/**
 * The filters of an asset that cannot be read. Agents evaluate them, and an agent that cannot read one never installs
 * the asset. As at the peer, the filters of the asset itself do not count when it has builds.
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
      const message = `cannot be read, character ${String(script.position + 1)}: ${script.message}`;
      return [{ path: [...path, at], message }];
    }),
  );
}
