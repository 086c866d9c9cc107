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
import { listenerSettingsSchema, programSettingsSchema, tlsSettingsSchema } from '../../../shared/schemas/settings.ts';
import { silencePolicySettingsSchema } from '../../../shared/schemas/silence-policy.ts';

const TLS: SettingNames = { current: Object.keys(tlsSettingsSchema.shape) };
const LISTENER: SettingNames = { current: Object.keys(listenerSettingsSchema.shape), below: { tls: TLS } };

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
    'attributes-limit': `the limit is ${counted(ATTRIBUTE_LIMITS.bytes)} bytes`,
    'keys-limit': `the limit is ${counted(ATTRIBUTE_LIMITS.keys)} keys`,
    'silences-limit': `the limit is ${counted(SILENCES_MAX)} silences in a namespace`,
    'buffer-limit-per-connection': `the limit is ${counted(CONNECTION_BUFFER_MIB)} MiB`,
    'client-quarantine': `the limit is ${counted(CLIENT_QUARANTINE_SECONDS)} seconds`,
    'stale-after': `the limit is ${counted(FOLLOWER_LAG_SECONDS)} seconds`,
  },
  below: {
    api: { below: { tls: TLS } },
    tls: TLS,
    'agent-listener': LISTENER,
    'v2-listener': LISTENER,
    alerts: { current: Object.keys(alertSettingsSchema.shape) },
    timeline: {
      fixed: { 'transitions-per-check': `the limit is ${counted(TRANSITIONS_PER_CHECK)} transitions` },
    },
    'aggregate-rules': {
      each: {
        current: Object.keys(aggregateRuleSchema.shape),
        renamed: { least: 'min-results', 'leave-out-silenced': 'ignore-silenced' },
      },
    },
    'silence-policy': {
      current: Object.keys(silencePolicySettingsSchema.shape),
      renamed: { 'apply-to-legacy': 'apply-to-v1' },
      fixed: { 'warn-matches': `the limit is ${counted(SILENCE_WARN_MATCHES)} matching events` },
    },
    'certificate-namespaces': { current: Object.keys(certificateRuleSchema.shape) },
    inhibitions: {
      each: { current: Object.keys(inhibitionSchema.shape), renamed: { when: 'source', quiet: 'target' } },
    },
  },
};

function counted(limit: number): string {
  return limit.toLocaleString('en');
}
