import { type Settings } from '../../shared/domain/merge-settings.ts';

/** What one source says, before it is merged with the others. */
export interface SettingsLayer {
  /** For messages: the path of a file, `environment` or `command line`. */
  readonly origin: string;
  readonly settings: Settings;
}
