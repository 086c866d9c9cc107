import { isSettings, type Settings } from '../../shared/domain/merge-settings.ts';
import { MonError } from '../../shared/errors.ts';
import type { Remark } from './remark.ts';
import type { SettingsLayer } from './settings-layer.ts';

/** A remark with its place in the configuration, as `--validate-config` prints it. */
export interface LocatedRemark {
  /** A path, or another source of the value: `environment`, `command line`. */
  readonly file: string;
  /** Names joined with dots; absent: the file as a whole. */
  readonly path?: string;
  /** Counted from 1; present if the text itself is invalid. */
  readonly line?: number;
  readonly column?: number;
  /** The problem, and the allowed values or the remedy. */
  readonly message: string;
}

/** Returns the remark with the last source that sets the value, or else an object around it. */
export function locateRemark({ path, message }: Remark, layers: readonly SettingsLayer[]): LocatedRemark {
  const depths = layers.map(({ settings }) => depthOf(path, settings));
  const file = layers[depths.lastIndexOf(Math.max(...depths))]?.origin ?? 'configuration';
  return { file, path: path.join('.'), message };
}

/** Returns the text of a remark: `conf.d/disk.json: checks.disk.command: is required`. */
export function remarkText({ file, path, line, column, message }: LocatedRemark): string {
  const location = line === undefined ? file : `${file}, line ${String(line)}, column ${String(column)}`;
  return [location, ...(path === undefined ? [] : [path]), message].join(': ');
}

/** An error with all problems, so that an operator sees all of them after one start. */
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
