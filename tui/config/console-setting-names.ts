import type { SettingNames } from '../../shared/domain/renamed-settings.ts';

/**
 * The old names in a console configuration. Names of fields, columns, actions and views that change are added here:
 * actions as `renamed` below `keys`, views as `renamed` below `columns` and as `values` of `view`, columns as `values`.
 */
export const CONSOLE_SETTING_NAMES: SettingNames = {
  below: {
    contexts: { each: { current: ['trusted-ca-file', 'insecure-skip-tls-verify'] } },
  },
};
