import { isSettings } from '../../shared/domain/merge-settings.ts';
import type { LocatedRemark } from './locate-remark.ts';
import type { SettingsLayer } from './settings-layer.ts';

/** Warns of each check that several sources define: their merge (completion 1.16) is rarely intended. */
export function checksDefinedTwice(layers: readonly SettingsLayer[]): readonly LocatedRemark[] {
  const origins = new Map<string, string[]>();
  for (const { origin, settings } of layers) {
    const { checks } = settings;
    if (!isSettings(checks)) continue;
    for (const name of Object.keys(checks)) origins.set(name, [...(origins.get(name) ?? []), origin]);
  }
  return [...origins].flatMap(([name, [first = '', ...others]]) => {
    const last = others.at(-1);
    if (last === undefined) return [];
    const before = [first, ...others.slice(0, -1)].join(', ');
    return {
      file: last,
      path: `checks.${name}`,
      message: `is also defined in ${before}: the definitions and their lists are merged, and this file takes precedence; keep only one definition`,
    };
  });
}
