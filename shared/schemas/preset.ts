/** Attributes of a webhook that are specific to services. */
export type PresetAttribute = 'url' | 'routing_key' | 'api_key' | 'api_token' | 'chat' | 'topic';

interface PresetTraits {
  /** Required attributes of a definition. */
  readonly needs: readonly PresetAttribute[];
  /** Default URL of the service. */
  readonly url?: string;
}

/** Services whose payload formats webhooks support. */
const PRESETS = {
  slack: { needs: ['url'] },
  mattermost: { needs: ['url'] },
  teams: { needs: ['url'] },
  pagerduty: { needs: ['routing_key'], url: 'https://events.pagerduty.com/v2/enqueue' },
  opsgenie: { needs: ['api_key'], url: 'https://api.opsgenie.com' },
  telegram: { needs: ['api_token', 'chat'], url: 'https://api.telegram.org' },
  ntfy: { needs: ['topic'], url: 'https://ntfy.sh' },
} as const satisfies Readonly<Record<string, PresetTraits>>;

export type Preset = keyof typeof PRESETS;

export const PRESET_NAMES = Object.keys(PRESETS) as readonly Preset[];

/** Returns the traits of a preset; without one, a webhook requires its URL. */
export function presetTraits(preset: Preset | undefined): PresetTraits {
  return preset === undefined ? { needs: ['url'] } : PRESETS[preset];
}
