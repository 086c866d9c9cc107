import type { SettingNames } from '../../../shared/domain/renamed-settings.ts';
import { aggregateRuleSchema } from '../../../shared/schemas/aggregate-rule.ts';
import { alertSettingsSchema } from '../../../shared/schemas/alert.ts';
import { certificateRuleSchema } from '../../../shared/schemas/certificate-rule.ts';
import {
  ATTRIBUTE_LIMITS,
  CLIENT_QUARANTINE_SECONDS,
  CONNECTION_BUFFER_MIB,
  FOLLOWER_LAG_SECONDS,
  SILENCE_WARN_MATCHES,
  SILENCES_MAX,
  TRANSITIONS_PER_CHECK,
} from '../../../shared/schemas/fixed-limits.ts';
import { inhibitionSchema } from '../../../shared/schemas/inhibition.ts';
import { onCallScheduleSchema } from '../../../shared/schemas/on-call.ts';
import { listenerSettingsSchema, programSettingsSchema, tlsSettingsSchema } from '../../../shared/schemas/settings.ts';
import { silencePolicySettingsSchema } from '../../../shared/schemas/silence-policy.ts';
import { watchdogSchema } from '../../../shared/schemas/watchdog.ts';

const TLS_SETTINGS: SettingNames = { current: Object.keys(tlsSettingsSchema.shape) };
const LISTENER_SETTINGS: SettingNames = {
  current: Object.keys(listenerSettingsSchema.shape),
  below: { tls: TLS_SETTINGS },
};

/**
 * The current and old names of the backend's own settings. Attributes that Sensu Core defines are not included and keep
 * their underscores: those in `checks`, `handlers`, `filters`, `mutators`, `client`, `api` and `sensu`.
 */
export const BACKEND_SETTING_NAMES: SettingNames = {
  current: Object.keys(programSettingsSchema.shape),
  renamed: {
    'core-api': 'v2-listener',
    'handle-when-silence-ends': 'renotify-after-silence',
  },
  fixed: {
    'attributes-limit': `the limit is ${formatLimit(ATTRIBUTE_LIMITS.bytes)} bytes`,
    'keys-limit': `the limit is ${formatLimit(ATTRIBUTE_LIMITS.keys)} keys`,
    'silences-limit': `the limit is ${formatLimit(SILENCES_MAX)} silences in a namespace`,
    'buffer-limit-per-connection': `the limit is ${formatLimit(CONNECTION_BUFFER_MIB)} MiB`,
    'client-quarantine': `the limit is ${formatLimit(CLIENT_QUARANTINE_SECONDS)} seconds`,
    'stale-after': `the limit is ${formatLimit(FOLLOWER_LAG_SECONDS)} seconds`,
  },
  below: {
    api: { below: { tls: TLS_SETTINGS } },
    tls: TLS_SETTINGS,
    'agent-listener': LISTENER_SETTINGS,
    'v2-listener': LISTENER_SETTINGS,
    alerts: { current: Object.keys(alertSettingsSchema.shape) },
    timeline: {
      fixed: { 'transitions-per-check': `the limit is ${formatLimit(TRANSITIONS_PER_CHECK)} transitions` },
    },
    'aggregate-rules': {
      each: {
        current: Object.keys(aggregateRuleSchema.shape),
        renamed: { least: 'min-results', 'leave-out-silenced': 'ignore-silenced' },
      },
    },
    watchdogs: { each: { current: Object.keys(watchdogSchema.shape) } },
    'silence-policy': {
      current: Object.keys(silencePolicySettingsSchema.shape),
      renamed: { 'apply-to-legacy': 'apply-to-v1' },
      fixed: { 'warn-matches': `the limit is ${formatLimit(SILENCE_WARN_MATCHES)} matching events` },
    },
    schedules: { each: { current: Object.keys(onCallScheduleSchema.shape) } },
    'certificate-namespaces': { current: Object.keys(certificateRuleSchema.shape) },
    inhibitions: {
      each: { current: Object.keys(inhibitionSchema.shape), renamed: { when: 'source', quiet: 'target' } },
    },
  },
};

function formatLimit(limit: number): string {
  return limit.toLocaleString('en');
}
