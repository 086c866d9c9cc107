import { createHash } from 'node:crypto';
import type { Settings } from '../../../shared/domain/merge-settings.ts';
import type { ApiSettings, ProgramSettings } from '../../../shared/schemas/settings.ts';
import type { StoredDefinitions } from '../definitions/state.ts';
import { Definitions } from './definitions.ts';
import type { LoadedConfig } from './load-config.ts';

/** The configuration in force. Ask again each time: a reload replaces it as a whole. */
export class ConfigInForce {
  readonly definitions: Definitions;
  #config: LoadedConfig;
  #hexdigest: string;
  #loadedAt: number;
  #error: string | undefined;

  /**
   * @param now epoch seconds
   * @param stored what was defined over the API; default: nothing
   */
  constructor(config: LoadedConfig, now: number, stored?: StoredDefinitions) {
    this.definitions = new Definitions(config, stored);
    this.#config = config;
    this.#hexdigest = digestOf(config.settings);
    this.#loadedAt = now;
  }

  /** All of it. */
  get loaded(): LoadedConfig {
    return this.#config;
  }

  /** Everything that was read, merged. Holds secrets. */
  get settings(): Settings {
    return this.#config.settings;
  }

  /** Every file that it was read from, in that order. */
  get files(): readonly string[] {
    return this.#config.files;
  }

  get api(): ApiSettings {
    return this.#config.api;
  }

  get program(): ProgramSettings {
    return this.#config.program;
  }

  /** Names these settings: two backends with the same one were configured alike. */
  get hexdigest(): string {
    return this.#hexdigest;
  }

  /** When these settings came into force, epoch seconds. */
  get loadedAt(): number {
    return this.#loadedAt;
  }

  /** Why the newest configuration is not in force; undefined when it is. */
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

  /** Keeps what is in force. */
  refuse(error: string): void {
    this.#error = error;
  }

  /** What is in force was read again: the newest configuration is no longer a wrong one. */
  confirm(): void {
    this.#error = undefined;
  }
}

function digestOf(settings: Settings): string {
  return createHash('sha256').update(JSON.stringify(settings)).digest('hex');
}
