import { createHash } from 'node:crypto';
import type { Settings } from '../../../shared/domain/merge-settings.ts';
import type { ApiSettings, ProgramSettings } from '../../../shared/schemas/settings.ts';
import type { StoredDefinitions } from '../model/definitions/state.ts';
import { Definitions } from '../model/config/definitions.ts';
import type { LoadedConfig } from './load-config.ts';

/** The configuration in force. Do not cache its values: a reload replaces it as a whole. */
export class ConfigInForce {
  readonly definitions: Definitions;
  #config: LoadedConfig;
  #hexdigest: string;
  #loadedAt: number;
  #error: string | undefined;

  /**
   * @param now epoch seconds
   * @param stored the definitions stored over the API; default: none
   */
  constructor(config: LoadedConfig, now: number, stored?: StoredDefinitions) {
    this.definitions = new Definitions(config, stored);
    this.#config = config;
    this.#hexdigest = digestOf(config.settings);
    this.#loadedAt = now;
  }

  /** The whole configuration. */
  get loaded(): LoadedConfig {
    return this.#config;
  }

  /** All settings that were read, merged. Contains secrets. */
  get settings(): Settings {
    return this.#config.settings;
  }

  /** Every file that was read, in reading order. */
  get files(): readonly string[] {
    return this.#config.files;
  }

  get api(): ApiSettings {
    return this.#config.api;
  }

  get program(): ProgramSettings {
    return this.#config.program;
  }

  /** The digest of these settings: two backends with the same one have the same configuration. */
  get hexdigest(): string {
    return this.#hexdigest;
  }

  /** The time when these settings came into force, in epoch seconds. */
  get loadedAt(): number {
    return this.#loadedAt;
  }

  /** The reason why the newest configuration was rejected; undefined: it is in force. */
  get error(): string | undefined {
    return this.#error;
  }

  /** @param now epoch seconds */
  replace(config: LoadedConfig, now: number): void {
    this.#config = config;
    this.#hexdigest = digestOf(config.settings);
    this.#loadedAt = now;
    this.#error = undefined;
    this.definitions.replace(config);
  }

  /** Keeps the configuration in force and records why the newest one was rejected. */
  refuse(error: string): void {
    this.#error = error;
  }

  /** Clears the error: the newest configuration equals the one in force. */
  confirm(): void {
    this.#error = undefined;
  }
}

function digestOf(settings: Settings): string {
  return createHash('sha256').update(JSON.stringify(settings)).digest('hex');
}
