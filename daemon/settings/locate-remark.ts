import { isSettings, type Settings } from '../../shared/domain/merge-settings.ts';
import { MonError } from '../../shared/errors.ts';
import type { SettingsLayer } from './read-settings.ts';
import type { Remark } from './settings-review.ts';

/** A remark with the source that it is about, for people: `conf.d/disk.json: checks.disk.command: is required`. */
export function locateRemark({ path, message }: Remark, layers: readonly SettingsLayer[]): string {
  return `${originOf(path, layers)}: ${path.join('.')}: ${message}`;
}

/** All problems in one error, so that one start tells an operator all there is to mend. */
export function invalidSettings(problems: readonly string[]): MonError {
  const count = problems.length === 1 ? '1 problem' : `${String(problems.length)} problems`;
  return new MonError('invalid', [`the configuration has ${count}:`, ...problems].join('\n  '));
}

/** The last source that says something about the value, or else about what it is part of. */
function originOf(path: readonly string[], layers: readonly SettingsLayer[]): string {
  const depths = layers.map(({ settings }) => depthOf(path, settings));
  return layers[depths.lastIndexOf(Math.max(...depths))]?.origin ?? 'configuration';
}

function depthOf(path: readonly string[], settings: Settings): number {
  let value: unknown = settings;
  for (const [depth, name] of path.entries()) {
    if (!isSettings(value) || !Object.hasOwn(value, name)) return depth;
    value = value[name];
  }
  return path.length;
}
