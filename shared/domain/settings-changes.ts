import { isSettings, type Settings } from './merge-settings.ts';
import { redact, settingsRedactKeys } from './redact.ts';

/** A change of one setting for display: its values are redacted, and cut if they are long. */
export interface SettingsChange {
  /** Path of the setting: names joined with dots. */
  readonly path: string;
  /** The old value; absent if the attribute is new. */
  readonly before?: unknown;
  /** The new value; absent if the attribute was removed. */
  readonly after?: unknown;
}

const TEXT_LENGTH_MAX = 200;

/**
 * Returns the differences between two configurations, sorted by name; an array counts as one value. A changed secret is
 * included, but its values are redacted.
 */
export function settingsChanges(before: Settings, after: Settings): SettingsChange[] {
  const secrets = new Set([...settingsRedactKeys(before), ...settingsRedactKeys(after)]);
  return collectChanges([], before, after, secrets);
}

function collectChanges(
  path: readonly string[],
  before: Settings,
  after: Settings,
  secrets: ReadonlySet<string>,
): SettingsChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return names.flatMap((name): SettingsChange[] => {
    const [was, is] = [ownSetting(before, name), ownSetting(after, name)];
    if (isSettings(was) && isSettings(is) && !secrets.has(name)) {
      // At many receivers, the path in the URL of a webhook is a credential.
      const isWebhook = was['type'] === 'webhook' || is['type'] === 'webhook';
      return collectChanges([...path, name], was, is, isWebhook ? new Set([...secrets, 'url', 'topic']) : secrets);
    }
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    return [
      {
        path: [...path, name].join('.'),
        ...(was === undefined ? {} : { before: shownValue(name, was, secrets) }),
        ...(is === undefined ? {} : { after: shownValue(name, is, secrets) }),
      },
    ];
  });
}

function ownSetting(settings: Settings, name: string): unknown {
  return Object.hasOwn(settings, name) ? settings[name] : undefined;
}

function shownValue(name: string, value: unknown, secrets: ReadonlySet<string>): unknown {
  const safe = redact<Settings>({ [name]: value }, secrets)[name];
  if (typeof safe === 'string') return cutText(safe);
  return typeof safe === 'object' && safe !== null ? cutText(JSON.stringify(safe)) : safe;
}

function cutText(text: string): string {
  return text.length > TEXT_LENGTH_MAX ? `${text.slice(0, TEXT_LENGTH_MAX)}...` : text;
}
