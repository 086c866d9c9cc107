import { renameSettings, type RenameRemark, type SettingNames } from '../../shared/domain/renamed-settings.ts';
import type { LocatedRemark } from './locate-remark.ts';
import type { SettingsLayer } from './settings-layer.ts';

/** Rewrites each layer to the current names of settings, before the layers are merged. */
export function renameLayers(
  layers: readonly SettingsLayer[],
  names: SettingNames,
): {
  readonly layers: readonly SettingsLayer[];
  readonly warnings: readonly LocatedRemark[];
  readonly problems: readonly LocatedRemark[];
} {
  const results = layers.map(({ origin, settings }) => ({ origin, ...renameSettings(settings, names) }));
  return {
    layers: results.map(({ origin, settings }) => ({ origin, settings })),
    warnings: results.flatMap(({ origin, warnings }) => warnings.map((remark) => locateRemark(origin, remark))),
    problems: results.flatMap(({ origin, problems }) => problems.map((remark) => locateRemark(origin, remark))),
  };
}

function locateRemark(file: string, { path, message }: RenameRemark): LocatedRemark {
  return { file, path: path.join('.'), message };
}
