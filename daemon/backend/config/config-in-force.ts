import { createHash } from 'node:crypto';
import type { Settings } from '../../../shared/domain/merge-settings.ts';
import type { ApiSettings, ProgramSettings } from '../../../shared/schemas/settings.ts';
import type { StoredDefinitions } from '../model/definitions/state.ts';
import { Definitions } from '../model/config/definitions.ts';
import type { LoadedConfig } from './load-config.ts';

/** The effective configuration. Do not cache its values: a reload replaces the configuration as a whole. */
export class ConfigInForce {
  readonly definitions: Definitions;
  #config: LoadedConfig;
  #hexdigest: string;
  #loadedAt: number;
  #error: string | undefined;

  /**
   * @param now time when `config` came into force, in epoch seconds
   * @param stored the definitions stored over the API; undefined if there are none
   */
  constructor(config: LoadedConfig, now: number, stored?: StoredDefinitions) {
    this.definitions = new Definitions(config, stored);
    this.#config = config;
    this.#hexdigest = digestOf(config.settings);
    this.#loadedAt = now;
  }

  /** The effective configuration with its warnings, files and folders. */
  get loaded(): LoadedConfig {
    return this.#config;
  }

  /** All settings that were read, merged into one object. They contain secrets. */
  get settings(): Settings {
    return this.#config.settings;
  }

  /** The configuration files that were read, in reading order. */
  get files(): readonly string[] {
    return this.#config.files;
  }

  get api(): ApiSettings {
    return this.#config.api;
  }

  get program(): ProgramSettings {
    return this.#config.program;
  }

  /** The SHA-256 digest of the settings. Two backends with the same digest have the same configuration. */
  get hexdigest(): string {
    return this.#hexdigest;
  }

  /** Time when the current settings came into force, in epoch seconds. */
  get loadedAt(): number {
    return this.#loadedAt;
  }

  /** The reason why the newest configuration was rejected; undefined if the newest configuration is in effect. */
  get rejectionReason(): string | undefined {
    return this.#error;
  }

  /**
   * Makes a new configuration effective and clears the error.
   *
   * @param now epoch seconds
   */
  replace(config: LoadedConfig, now: number): void {
    this.#config = config;
    this.#hexdigest = digestOf(config.settings);
    this.#loadedAt = now;
    this.#error = undefined;
    this.definitions.replace(config);
  }

  /** Records why the newest configuration was rejected. The previous configuration stays in effect. */
  recordRejection(error: string): void {
    this.#error = error;
  }

  /** Clears the error after a reload whose configuration equals the effective one. */
  clearError(): void {
    this.#error = undefined;
  }
}

function digestOf(settings: Settings): string {
  return createHash('sha256').update(JSON.stringify(settings)).digest('hex');
}
