import { MonError } from '../../shared/errors.ts';
import { DEFAULT_NAMESPACE } from '../../shared/schemas/namespace.ts';
import type { Call, Command } from './command.ts';
import { flag, takes, type CommandOption } from './flags.ts';

/** Options of what is in one namespace. */
export const NAMESPACE_OPTION: Readonly<Record<'namespace', CommandOption>> = {
  namespace: takes('NAME', 'namespace; default that of the context, else default', { completes: 'namespace' }),
};

/** Options of what looks into several. */
export const NAMESPACES_OPTIONS: Readonly<Record<'namespace' | 'all-namespaces', CommandOption>> = {
  ...NAMESPACE_OPTION,
  'all-namespaces': flag('all namespaces that you may read'),
};

/** Options of a list that is of all namespaces unless one is named. */
export const ONLY_NAMESPACE_OPTIONS: Readonly<Record<'namespace' | 'all-namespaces', CommandOption>> = {
  namespace: takes('NAME', 'only this namespace; default that of the context, else all', { completes: 'namespace' }),
  'all-namespaces': flag('all namespaces that you may read, even if the context has one'),
};

/**
 * The only namespace that such a list is of.
 *
 * @returns undefined: it is of all
 * @throws MonError `invalid` when both are asked for
 */
export function onlyNamespaceOf(call: Pick<Call, 'flags' | 'namespace'>): string | undefined {
  return call.namespace === undefined ? undefined : namespacesOf(call);
}

/** The one namespace that a call is about. */
export function namespaceOf({ namespace = DEFAULT_NAMESPACE }: Pick<Call, 'namespace'>): string {
  return namespace;
}

/**
 * Which namespaces a call looks into.
 *
 * @returns undefined: all of them
 * @throws MonError `invalid` when both are asked for
 */
export function namespacesOf({ flags, namespace }: Pick<Call, 'flags' | 'namespace'>): string | undefined {
  if (flags.switch('all-namespaces') !== true) return namespaceOf({ namespace });
  if (flags.value('namespace') !== undefined) {
    throw new MonError('invalid', 'use --namespace or --all-namespaces, not both');
  }
  return undefined;
}

/** Path of a list below `/api/core/v2`, in one namespace or over all. */
export function listPath(namespace: string | undefined, noun: string): readonly string[] {
  return namespace === undefined ? [noun] : ['namespaces', namespace, noun];
}

/** Whether a namespace was named, or all of them: then version 2 is asked, whichever it is. */
export function isElsewhere({ namespace, flags }: Pick<Call, 'namespace' | 'flags'>): boolean {
  return namespace !== undefined || flags.switch('all-namespaces') === true;
}

/**
 * A command that shows the namespace `default` in the shape of the older API, and with `--namespace` or
 * `--all-namespaces`, or in a context that names a namespace, any of them in the shape of the newer one.
 *
 * @param elsewhere what it does then
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

/** A command that does the same in any namespace. */
export function inAnyNamespace(command: Command): Command {
  return { ...command, options: { ...command.options, ...NAMESPACE_OPTION } };
}
