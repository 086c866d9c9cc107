import type { V2Mutator } from '../../schemas/v2/mutator.ts';
import { validVariables } from '../../schemas/environment.ts';
import type { MutatorDefinition } from '../../schemas/mutator.ts';
import { redact } from '../redact.ts';
import { commandOfV2, shownCommand } from './definition-command.ts';
import { isUntranslatable, type UntranslatableObject } from './problem.ts';
import { CONFIGURED_ANNOTATIONS } from './source.ts';

/** Converts a v2 mutator to the internal definition. */
export function mutatorDefinitionOf(mutator: V2Mutator): MutatorDefinition | UntranslatableObject {
  const { timeout, env_vars: envVars } = mutator;
  const command = commandOfV2(mutator);
  if (isUntranslatable(command)) return command;
  const variables = validVariables(envVars);
  return { command, ...(timeout ? { timeout } : {}), ...(variables.length > 0 ? { env_vars: variables } : {}) };
}

/** Converts a mutator from a configuration file to its v2 form. */
export function v2MutatorOf(namespace: string, name: string, definition: MutatorDefinition): V2Mutator {
  const { command, timeout, ...attributes } = redact(definition);
  return {
    ...attributes,
    metadata: { name, namespace, labels: null, annotations: CONFIGURED_ANNOTATIONS },
    ...shownCommand(command),
    timeout: Math.ceil(timeout ?? 0),
    env_vars: null,
    runtime_assets: null,
  };
}
