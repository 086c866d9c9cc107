/** Attributes of a webhook handler that some presets require. */
export type PresetAttribute = 'url' | 'routing_key' | 'api_key' | 'api_token' | 'chat' | 'topic';

interface PresetTraits {
  /** Attributes that the handler definition must have. */
  readonly needs: readonly PresetAttribute[];
  /** Default URL of the service. */
  readonly url?: string;
  /**
   * Whether a handler with this preset is notified when an operator acknowledges a problem that it was notified of: the
   * service can acknowledge its incident, or a chat shows who works on the problem.
   */
  readonly showsAcknowledgements?: true;
  /** Whether messages of this preset can have buttons that act on their event. */
  readonly hasButtons?: true;
}

/** Presets: services to which a webhook handler can send notifications in their own format. */
const PRESET_SETTINGS = {
  slack: { needs: ['url'], showsAcknowledgements: true, hasButtons: true },
  mattermost: { needs: ['url'], showsAcknowledgements: true, hasButtons: true },
  teams: { needs: ['url'], showsAcknowledgements: true },
  pagerduty: {
    needs: ['routing_key'],
    url: 'https://events.pagerduty.com/v2/enqueue',
    showsAcknowledgements: true,
  },
  opsgenie: { needs: ['api_key'], url: 'https://api.opsgenie.com', showsAcknowledgements: true },
  'jira-service-management': {
    needs: ['api_key'],
    url: 'https://api.atlassian.com/jsm/ops/integration',
    showsAcknowledgements: true,
  },
  'incident-io': { needs: ['url', 'api_token'] },
  'grafana-irm': { needs: ['url'] },
  telegram: {
    needs: ['api_token', 'chat'],
    url: 'https://api.telegram.org',
    showsAcknowledgements: true,
    hasButtons: true,
  },
  ntfy: { needs: ['topic'], url: 'https://ntfy.sh' },
} as const satisfies Readonly<Record<string, PresetTraits>>;

export type Preset = keyof typeof PRESET_SETTINGS;

export const PRESET_NAMES = Object.keys(PRESET_SETTINGS) as readonly Preset[];

/** Returns the names of the presets that require an attribute, as a text for the description of that attribute. */
export function presetsThatNeed(attribute: PresetAttribute): string {
  const presets = PRESET_NAMES.filter((preset) => presetTraits(preset).needs.includes(attribute));
  return new Intl.ListFormat('en').format(presets.map((preset) => `\`${preset}\``));
}

/** The presets whose messages can have buttons, as a text for descriptions and errors. */
export const PRESETS_WITH_BUTTONS = new Intl.ListFormat('en').format(
  PRESET_NAMES.filter((preset) => presetTraits(preset).hasButtons === true).map((preset) => `\`${preset}\``),
);

/** Returns the traits of a preset. A webhook without a preset requires `url`. */
export function presetTraits(preset: Preset | undefined): PresetTraits {
  return preset === undefined ? { needs: ['url'] } : PRESET_SETTINGS[preset];
}
