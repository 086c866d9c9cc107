import { isSettings, type Settings } from './merge-settings.ts';
import { redact, settingsRedactKeys } from './redact.ts';

/** A change of one attribute for display: redacted, and cut if it is long. */
export interface SettingsChange {
  /** Names joined with dots. */
  readonly path: string;
  /** Undefined if the attribute is new. */
  readonly before?: unknown;
  /** Undefined if the attribute was removed. */
  readonly after?: unknown;
}

const TEXT_LENGTH_MAX = 200;

/**
 * Returns the differences in the order of names; arrays count as one value. For secrets it shows that they changed, but
 * not their values.
 */
export function settingsChanges(before: Settings, after: Settings): SettingsChange[] {
  const secrets = new Set([...settingsRedactKeys(before), ...settingsRedactKeys(after)]);
  return changesAt([], before, after, secrets);
}

function changesAt(
  path: readonly string[],
  before: Settings,
  after: Settings,
  secrets: ReadonlySet<string>,
): SettingsChange[] {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])].toSorted();
  return names.flatMap((name): SettingsChange[] => {
    const [was, is] = [ownValue(before, name), ownValue(after, name)];
    if (isSettings(was) && isSettings(is) && !secrets.has(name)) {
      // The part after the host in the URL of a webhook is a credential at many receivers.
      const isWebhook = was['type'] === 'webhook' || is['type'] === 'webhook';
      return changesAt([...path, name], was, is, isWebhook ? new Set([...secrets, 'url', 'topic']) : secrets);
    }
    if (JSON.stringify(was) === JSON.stringify(is)) return [];
    return [
      {
        path: [...path, name].join('.'),
        ...(was === undefined ? {} : { before: shown(name, was, secrets) }),
        ...(is === undefined ? {} : { after: shown(name, is, secrets) }),
      },
    ];
  });
}

function ownValue(settings: Settings, name: string): unknown {
  return Object.hasOwn(settings, name) ? settings[name] : undefined;
}

function shown(name: string, value: unknown, secrets: ReadonlySet<string>): unknown {
  const safe = redact<Settings>({ [name]: value }, secrets)[name];
  if (typeof safe === 'string') return cut(safe);
  return typeof safe === 'object' && safe !== null ? cut(JSON.stringify(safe)) : safe;
}

function cut(text: string): string {
  return text.length > TEXT_LENGTH_MAX ? `${text.slice(0, TEXT_LENGTH_MAX)}...` : text;
}
