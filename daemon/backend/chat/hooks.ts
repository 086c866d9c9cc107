import { createHash } from 'node:crypto';
import { isPreset, type PresetHandler } from '../../../shared/domain/message/preset-request.ts';
import { isRunningHandler } from '../../../shared/schemas/handler.ts';
import type { Definitions } from '../model/config/definitions.ts';
import type { Registry } from '../model/registry/registry.ts';

/** A handler whose messages have buttons. */
export interface ButtonHandler {
  readonly namespace: string;
  readonly name: string;
  readonly handler: PresetHandler & { readonly buttons: NonNullable<PresetHandler['buttons']> };
}

interface HookDependencies {
  readonly definitions: Pick<Definitions, 'inNamespace' | 'generation'>;
  readonly registry: Pick<Registry, 'namespaces'>;
}

/**
 * Finds the handlers for the URL of a callback. Several handlers can have the same URL, because an app of Slack or a
 * bot of Telegram has one URL for all its channels.
 */
export class Hooks {
  readonly #deps: HookDependencies;
  /** The handlers by the digest of their preset and token, so that a look-up reveals nothing of a token by its time. */
  #index: ReadonlyMap<string, readonly ButtonHandler[]> = new Map();
  #generation = -1;

  constructor(deps: HookDependencies) {
    this.#deps = deps;
  }

  /** Returns the handlers with this preset and token. */
  handlersOf(preset: string, token: string): readonly ButtonHandler[] {
    const { generation } = this.#deps.definitions;
    if (generation !== this.#generation) {
      this.#index = Map.groupBy(this.#handlers(), ({ handler }) =>
        digestOf(handler.preset, handler.buttons.callback_token),
      );
      this.#generation = generation;
    }
    return this.#index.get(digestOf(preset, token)) ?? [];
  }

  *#handlers(): Generator<ButtonHandler> {
    const { definitions, registry } = this.#deps;
    for (const { name: namespace } of registry.namespaces()) {
      for (const [name, handler] of definitions.inNamespace(namespace).handlers()) {
        if (!isRunningHandler(handler) || !isPreset(handler)) continue;
        const { buttons } = handler;
        if (buttons !== undefined) yield { namespace, name, handler: { ...handler, buttons } };
      }
    }
  }
}

function digestOf(preset: string, token: string): string {
  return createHash('sha256').update(`${preset} ${token}`).digest('base64url');
}
