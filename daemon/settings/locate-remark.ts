import { isSettings, type Settings } from '../../shared/domain/merge-settings.ts';
import { MonError } from '../../shared/errors.ts';
import type { Remark } from './remark.ts';
import type { SettingsLayer } from './settings-layer.ts';

/** An error or a warning with its place in the configuration, as `--validate-config` prints it. */
export interface LocatedRemark {
  /** The path of the file, or another source of the setting: `environment`, `command line`. */
  readonly file: string;
  /** The path of the setting, as names joined with dots; absent if the problem is not about one setting. */
  readonly path?: string;
  /** Line and column, counted from 1; present if the problem is in the text of the file. */
  readonly line?: number;
  readonly column?: number;
  /** The problem, and the allowed values or the remedy. */
  readonly message: string;
}

/**
 * Adds the source to an error or a warning: the last source that sets the value, or else an object around the value.
 */
export function locateRemark({ path, message }: Remark, layers: readonly SettingsLayer[]): LocatedRemark {
  const depths = layers.map(({ settings }) => depthOf(path, settings));
  const file = layers[depths.lastIndexOf(Math.max(...depths))]?.origin ?? 'configuration';
  return { file, path: path.join('.'), message };
}

/** Returns an error or a warning as text: `conf.d/disk.json: checks.disk.command: is required`. */
export function remarkText({ file, path, line, column, message }: LocatedRemark): string {
  const location = line === undefined ? file : `${file}, line ${String(line)}, column ${String(column)}`;
  return [location, ...(path === undefined ? [] : [path]), message].join(': ');
}

/** The error for an invalid configuration. It lists all problems, so that an operator sees them after one start. */
export class InvalidSettings extends MonError {
  readonly problems: readonly LocatedRemark[];

  constructor(problems: readonly LocatedRemark[]) {
    const count = problems.length === 1 ? '1 problem' : `${String(problems.length)} problems`;
    super('invalid', [`the configuration has ${count}:`, ...problems.map(remarkText)].join('\n  '));
    this.problems = problems;
  }
}

function depthOf(path: readonly string[], settings: Settings): number {
  let value: unknown = settings;
  for (const [depth, name] of path.entries()) {
    if (!isSettings(value) || !Object.hasOwn(value, name)) return depth;
    value = value[name];
  }
  return path.length;
}
