import { isSettings, type Settings } from '../../shared/domain/merge-settings.ts';
import { MonError } from '../../shared/errors.ts';
import type { Remark } from './remark.ts';
import type { SettingsLayer } from './settings-layer.ts';

/** Something about one place of the configuration, as `--validate-config` prints it. */
export interface LocatedRemark {
  /** A path, or where else the value comes from: `environment`, `command line`. */
  readonly file: string;
  /** Names joined with dots; missing when the file as a whole is meant. */
  readonly path?: string;
  /** Counted from 1, where the text itself is wrong. */
  readonly line?: number;
  readonly column?: number;
  /** What is wrong, and what is allowed or to be done. */
  readonly message: string;
}

/** The last source that says something about the value, or else about what it is part of. */
export function locateRemark({ path, message }: Remark, layers: readonly SettingsLayer[]): LocatedRemark {
  const depths = layers.map(({ settings }) => depthOf(path, settings));
  const file = layers[depths.lastIndexOf(Math.max(...depths))]?.origin ?? 'configuration';
  return { file, path: path.join('.'), message };
}

/** For people: `conf.d/disk.json: checks.disk.command: is required`. */
export function remarkText({ file, path, line, column, message }: LocatedRemark): string {
  const place = line === undefined ? file : `${file}, line ${String(line)}, column ${String(column)}`;
  return [place, ...(path === undefined ? [] : [path]), message].join(': ');
}

/** All problems in one error, so that one start tells an operator all there is to mend. */
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
