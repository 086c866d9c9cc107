import { type Settings } from '../../shared/domain/merge-settings.ts';

/** The settings of one source, before they are merged with the others. */
export interface SettingsLayer {
  /** The source, for messages: the path of a file, `environment` or `command line`. */
  readonly origin: string;
  readonly settings: Settings;
}
