import { MonError } from '../../shared/errors.ts';
import { DEFAULT_NAMESPACE } from '../../shared/schemas/namespace.ts';
import type { CommandCall, Command } from './command.ts';
import { switchOption, valueOption, type CommandOption } from './flags.ts';

/** The `--namespace` option of commands that work in one namespace. */
export const NAMESPACE_OPTION: Readonly<Record<'namespace', CommandOption>> = {
  namespace: valueOption('NAME', 'namespace to use; default: namespace of the context, else "default"', {
    completes: 'namespace',
  }),
};

/** Namespace options of commands that list one namespace or all. */
export const NAMESPACES_OPTIONS: Readonly<Record<'namespace' | 'all-namespaces', CommandOption>> = {
  ...NAMESPACE_OPTION,
  'all-namespaces': switchOption('include all namespaces that you may read'),
};

/** Namespace options of a list that shows all namespaces unless `--namespace` or the context names one. */
export const ONLY_NAMESPACE_OPTIONS: Readonly<Record<'namespace' | 'all-namespaces', CommandOption>> = {
  namespace: valueOption('NAME', 'only this namespace; default: namespace of the context, else all', {
    completes: 'namespace',
  }),
  'all-namespaces': switchOption('include all namespaces that you may read, even if the context sets a namespace'),
};

/**
 * Returns the only namespace to show in a list that shows all namespaces by default.
 *
 * @returns `undefined` for all namespaces
 * @throws MonError `invalid` when both `--namespace` and `--all-namespaces` are given
 */
export function onlyNamespaceOf(call: Pick<CommandCall, 'flags' | 'namespace'>): string | undefined {
  return call.namespace === undefined ? undefined : namespacesOf(call);
}

/** Returns the namespace of a call, or `default` if none is set. */
export function callNamespace({ namespace = DEFAULT_NAMESPACE }: Pick<CommandCall, 'namespace'>): string {
  return namespace;
}

/**
 * Returns the namespace that a call lists.
 *
 * @returns `undefined` for all namespaces
 * @throws MonError `invalid` when both `--namespace` and `--all-namespaces` are given
 */
export function namespacesOf({ flags, namespace }: Pick<CommandCall, 'flags' | 'namespace'>): string | undefined {
  if (flags.switch('all-namespaces') !== true) return callNamespace({ namespace });
  if (flags.value('namespace') !== undefined) {
    throw new MonError('invalid', 'use --namespace or --all-namespaces, not both');
  }
  return undefined;
}

/** Returns the path below `/api/core/v2` of a list of objects, in one namespace or, for `undefined`, in all. */
export function listPath(namespace: string | undefined, noun: string): readonly string[] {
  return namespace === undefined ? [noun] : ['namespaces', namespace, noun];
}

/** Returns true if the call has a namespace or `--all-namespaces`, which means that the v2 API is used. */
export function usesV2Api({ namespace, flags }: Pick<CommandCall, 'namespace' | 'flags'>): boolean {
  return namespace !== undefined || flags.switch('all-namespaces') === true;
}

/**
 * Extends a command of the v1 API, which shows the namespace `default`, to other namespaces. If a namespace is given by
 * option, environment or context, or with `--all-namespaces`, it uses the v2 API.
 *
 * @param runWithV2Api callback that runs the command with the v2 API
 */
export function alsoInNamespaces(
  command: Command,
  options: Command['options'],
  runWithV2Api: (call: CommandCall) => Promise<void>,
): Command {
  return {
    ...command,
    options: { ...command.options, ...options },
    run: (call) => (usesV2Api(call) ? runWithV2Api(call) : command.run(call)),
  };
}

/** Adds the `--namespace` option to a command that works the same way in every namespace. */
export function inAnyNamespace(command: Command): Command {
  return { ...command, options: { ...command.options, ...NAMESPACE_OPTION } };
}
