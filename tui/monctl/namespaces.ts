import { MonError } from '../../shared/errors.ts';
import { DEFAULT_NAMESPACE } from '../../shared/schemas/namespace.ts';
import type { Call, Command } from './command.ts';
import { flag, takes, type CommandOption } from './flags.ts';

/** Options of commands for objects in one namespace. */
export const NAMESPACE_OPTION: Readonly<Record<'namespace', CommandOption>> = {
  namespace: takes('NAME', 'namespace to use; default: namespace of the context, else "default"', {
    completes: 'namespace',
  }),
};

/** Options of commands that can list several namespaces. */
export const NAMESPACES_OPTIONS: Readonly<Record<'namespace' | 'all-namespaces', CommandOption>> = {
  ...NAMESPACE_OPTION,
  'all-namespaces': flag('include all namespaces that you may read'),
};

/** Options of a list that shows all namespaces unless one is named. */
export const ONLY_NAMESPACE_OPTIONS: Readonly<Record<'namespace' | 'all-namespaces', CommandOption>> = {
  namespace: takes('NAME', 'only this namespace; default: namespace of the context, else all', {
    completes: 'namespace',
  }),
  'all-namespaces': flag('include all namespaces that you may read, even if the context sets a namespace'),
};

/**
 * Returns the namespace of a list that shows all namespaces by default.
 *
 * @returns `undefined` for all namespaces
 * @throws MonError `invalid` when both options are given
 */
export function onlyNamespaceOf(call: Pick<Call, 'flags' | 'namespace'>): string | undefined {
  return call.namespace === undefined ? undefined : namespacesOf(call);
}

/** Returns the namespace of a call. */
export function callNamespace({ namespace = DEFAULT_NAMESPACE }: Pick<Call, 'namespace'>): string {
  return namespace;
}

/**
 * Returns the namespaces that a call lists.
 *
 * @returns `undefined` for all namespaces
 * @throws MonError `invalid` when both options are given
 */
export function namespacesOf({ flags, namespace }: Pick<Call, 'flags' | 'namespace'>): string | undefined {
  if (flags.switch('all-namespaces') !== true) return callNamespace({ namespace });
  if (flags.value('namespace') !== undefined) {
    throw new MonError('invalid', 'use --namespace or --all-namespaces, not both');
  }
  return undefined;
}

/** Returns the path of a list below `/api/core/v2`, in one namespace or in all. */
export function listPath(namespace: string | undefined, noun: string): readonly string[] {
  return namespace === undefined ? [noun] : ['namespaces', namespace, noun];
}

/** Returns true if one or all namespaces were named, which means that the v2 API is used. */
export function isElsewhere({ namespace, flags }: Pick<Call, 'namespace' | 'flags'>): boolean {
  return namespace !== undefined || flags.switch('all-namespaces') === true;
}

/**
 * Returns a command that shows the namespace `default` by the v1 API. With `--namespace` or `--all-namespaces`,
 * or if the context has a namespace, it uses the v2 API.
 *
 * @param elsewhere the implementation for the v2 API
 */
export function alsoInNamespaces(
  command: Command,
  options: Command['options'],
  elsewhere: (call: Call) => Promise<void>,
): Command {
  return {
    ...command,
    options: { ...command.options, ...options },
    run: (call) => (isElsewhere(call) ? elsewhere(call) : command.run(call)),
  };
}

/** Returns a command that works the same way in any namespace. */
export function inAnyNamespace(command: Command): Command {
  return { ...command, options: { ...command.options, ...NAMESPACE_OPTION } };
}
