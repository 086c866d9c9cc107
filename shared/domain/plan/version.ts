/** A version such as `6.4.0` as numbers. */
export type Version = readonly [major: number, minor: number, patch: number];

/**
 * Matches a version and ignores a suffix for a pre-release or build: `6.5.0`, `v6.5`, `6.5.0-beta.1`, `6.5.0#a1b2c3`.
 */
const VERSION_FORMAT = /^v?(\d{1,6})\.(\d{1,6})(?:\.(\d{1,6}))?(?:[-+#,\s].*)?$/s;

/** Parses a version number; returns undefined for any other text. */
export function parseVersion(text: string): Version | undefined {
  const [, major, minor, patch] = VERSION_FORMAT.exec(text.slice(0, 100)) ?? [];
  return major === undefined ? undefined : [Number(major), Number(minor), Number(patch ?? 0)];
}

export function isOlder(a: Version, b: Version): boolean {
  return (a[0] - b[0] || a[1] - b[1] || a[2] - b[2]) < 0;
}

/** The versions before and after an upgrade. */
export interface UpgradePath {
  readonly from: Version;
  readonly to: Version;
}

/** Whether an upgrade starts below this version and ends at or above it. */
export function crossesVersion({ from, to }: UpgradePath, version: Version): boolean {
  return isOlder(from, version) && !isOlder(to, version);
}

export function versionText(version: Version): string {
  return version.join('.');
}

/** Parses the versions of an upgrade; returns an error message if one is invalid or it would be a downgrade. */
export function parsePath(from: string, to: string): UpgradePath | { readonly problem: string } {
  const [begin, end] = [parseVersion(from), parseVersion(to)];
  if (begin === undefined || end === undefined) {
    return { problem: `${begin === undefined ? from : to} is not a version number: use one like 6.4.0` };
  }
  if (isOlder(end, begin)) return { problem: `${to} is older than ${from}: there is no plan for a downgrade` };
  return { from: begin, to: end };
}
