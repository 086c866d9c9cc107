import type { CoreMutator } from '../../schemas/core/mutator.ts';
import { variablesOf } from '../../schemas/environment.ts';
import type { MutatorDefinition } from '../../schemas/mutator.ts';
import { redact } from '../redact.ts';
import { commandOfCore, shownCommand } from './definition-command.ts';
import { isUntranslatable, type Untranslatable } from './problem.ts';
import { CONFIGURED } from './source.ts';

/** A mutator of the newer API as the definition that the backend works by. */
export function mutatorDefinitionOf(mutator: CoreMutator): MutatorDefinition | Untranslatable {
  const { timeout, env_vars: envVars } = mutator;
  const command = commandOfCore(mutator);
  if (isUntranslatable(command)) return command;
  const variables = variablesOf(envVars);
  return { command, ...(timeout ? { timeout } : {}), ...(variables.length > 0 ? { env_vars: variables } : {}) };
}

/** A mutator of the configuration as the newer API shows it. */
export function coreMutatorOf(namespace: string, name: string, definition: MutatorDefinition): CoreMutator {
  const { command, timeout, ...rest } = redact(definition);
  return {
    ...rest,
    metadata: { name, namespace, labels: null, annotations: CONFIGURED },
    ...shownCommand(command),
    timeout: Math.ceil(timeout ?? 0),
    env_vars: null,
    runtime_assets: null,
  };
}
