import { ALL_WILDCARD, ROLE_VERBS } from '../../schemas/v2/role.ts';
import type { Scope } from '../../schemas/scope.ts';
import { isGranted, READ_RESOURCES, type Operation, type Grant } from './roles.ts';

/** The rights of an API caller: scopes, which are valid in all namespaces, and grants by roles. */
export interface RightsSet {
  readonly scopes: ReadonlySet<Scope>;
  readonly grants: readonly Grant[];
}

/** The rights of a caller who grants rights to others. */
export interface OwnRights extends RightsSet {
  /** The only namespace in which the rights are valid; undefined if they are not limited to one. */
  readonly namespace?: string | undefined;
}

/**
 * Maximum number of single rights that are compared. A role contains one for each combination of its verbs, resources
 * and names, so there can be very many.
 */
const COMPARED_MAX = 2000;
/** Maximum number of missing rights that an error message names. */
const NAMED_RIGHTS_MAX = 3;

/**
 * The role rules that are equivalent to each scope. The scope `resolve` also allows to request a run of a check. No
 * rule is limited to that, so that right is left out.
 */
const RULES_OF_SCOPE: Readonly<Record<Scope, Grant['rules']>> = {
  read: [{ verbs: ['get', 'list'], resources: [...READ_RESOURCES] }],
  submit: [{ verbs: ['create', 'update'], resources: ['events', 'entities'] }],
  silence: [{ verbs: ['create', 'update', 'delete'], resources: ['silenced'] }],
  resolve: [
    { verbs: ['update', 'delete'], resources: ['events'] },
    { verbs: ['delete'], resources: ['entities'] },
  ],
  admin: [{ verbs: [ALL_WILDCARD], resources: [ALL_WILDCARD] }],
};

/** Whether the caller has all rights, and so is allowed to grant any right. */
export function hasAllRights({ scopes, namespace }: OwnRights): boolean {
  return scopes.has('admin') && namespace === undefined;
}

/**
 * Returns descriptions of the requested rights that the caller does not have; empty if the caller is allowed to grant
 * them. As in Kubernetes, nobody can grant more rights than they have.
 *
 * @param present rights that the users who get the rights have already
 */
export function missingRights(own: OwnRights, requestedRights: RightsSet, present?: RightsSet): readonly string[] {
  if (hasAllRights(own)) return [];
  const scopes = new Set([...(own.namespace === undefined ? own.scopes : []), ...(present?.scopes ?? [])]);
  const grants = [...grantsOf(own), ...(present === undefined ? [] : grantsOf(present))];
  // The scope admin includes all others, so no other missing right is named.
  if (requestedRights.scopes.has('admin') && !scopes.has('admin')) return ['the scope admin'];
  const missing = new Set<string>();
  for (const scope of requestedRights.scopes) {
    if (!scopes.has(scope) && !scopes.has('admin')) missing.add(`the scope ${scope}`);
  }
  let compared = 0;
  for (const doing of singleRights(requestedRights.grants)) {
    compared++;
    if (compared > COMPARED_MAX) missing.add(`more than ${String(COMPARED_MAX)} single rights, which are not compared`);
    else if (!hasEveryRight(grants, doing)) missing.add(describeOperation(doing));
    if (missing.size > NAMED_RIGHTS_MAX || compared > COMPARED_MAX) break;
  }
  const named = [...missing];
  return named.length > NAMED_RIGHTS_MAX ? [...named.slice(0, NAMED_RIGHTS_MAX), 'others'] : named;
}

/** Returns all grants of a caller, including those by scopes, limited to the caller's namespace if there is one. */
function grantsOf({ scopes, grants, namespace }: OwnRights): readonly Grant[] {
  const byScopes = Array.from(scopes, (scope) => ({ namespace, rules: RULES_OF_SCOPE[scope] }));
  if (namespace === undefined) return [...grants, ...byScopes];
  const within = grants.filter((grant) => grant.namespace === undefined || grant.namespace === namespace);
  return [...within.map(({ rules }) => ({ namespace, rules })), ...byScopes];
}

function* singleRights(grants: readonly Grant[]): Iterable<Operation> {
  for (const { namespace, rules } of grants) {
    for (const { verbs, resources, resource_names: names } of rules) {
      for (const resource of new Set(resources)) {
        for (const verb of new Set(verbs)) {
          for (const name of new Set((names ?? []).length === 0 ? [''] : names)) {
            yield { verb, resource, name, namespace };
          }
        }
      }
    }
  }
}

function hasEveryRight(grants: readonly Grant[], doing: Operation): boolean {
  if (isGranted(grants, doing)) return true;
  return doing.verb === ALL_WILDCARD && ROLE_VERBS.every((verb) => isGranted(grants, { ...doing, verb }));
}

function describeOperation({ verb, resource, name, namespace }: Operation): string {
  const verbs = verb === ALL_WILDCARD ? 'every verb' : verb;
  const what = `${resource === ALL_WILDCARD ? 'every resource' : resource}${name === '' ? '' : ` ${name}`}`;
  return `${verbs} of ${what} ${namespace === undefined ? 'in all namespaces' : `in the namespace ${namespace}`}`;
}
