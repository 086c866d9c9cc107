import { v2FilterOf } from '../../../shared/domain/v2/filter.ts';
import { v2HandlerOf } from '../../../shared/domain/v2/handler.ts';
import { v2MutatorOf } from '../../../shared/domain/v2/mutator.ts';
import { DEFAULT_NAMESPACE } from '../../../shared/schemas/namespace.ts';
import type { ConfigInForce } from '../config/config-in-force.ts';
import type { V2Handlers } from '../http/route.ts';
import { objectHandlers } from '../http/v2-collection.ts';
import { definitionCollection, type DefinitionDependencies } from './routes-v2.ts';

interface ConfiguredDependencies extends DefinitionDependencies {
  readonly config: ConfigInForce;
}

/** Serves assets in the v2 API. The backend sends them to v2 agents, which download and verify their files. */
export function assetsOnV2(deps: DefinitionDependencies): V2Handlers<'assets'> {
  return objectHandlers(deps, definitionCollection(deps, { kind: 'assets' }));
}

/** Serves pipelines in the v2 API. A pipeline passes the events of checks through filters and mutators to handlers. */
export function pipelinesOnV2(deps: DefinitionDependencies): V2Handlers<'pipelines'> {
  return objectHandlers(deps, definitionCollection(deps, { kind: 'pipelines' }));
}

/** Serves filters in the v2 API: those created over the API, and those of the configuration, which are read-only. */
export function filtersOnV2(deps: ConfiguredDependencies): V2Handlers<'filters'> {
  const configured = () => shownAll(deps.config.definitions.configured('filters'), v2FilterOf);
  return objectHandlers(deps, definitionCollection(deps, { kind: 'filters', configured }));
}

/** Serves handlers in the v2 API: those created over the API, and those of the configuration, which are read-only. */
export function handlersOnV2(deps: ConfiguredDependencies): V2Handlers<'handlers'> {
  const configured = () => shownAll(deps.config.definitions.configured('handlers'), v2HandlerOf);
  return objectHandlers(deps, definitionCollection(deps, { kind: 'handlers', configured, isRunByBackend: true }));
}

/** Serves mutators in the v2 API: those created over the API, and those of the configuration, which are read-only. */
export function mutatorsOnV2(deps: ConfiguredDependencies): V2Handlers<'mutators'> {
  const configured = () => shownAll(deps.config.definitions.configured('mutators'), v2MutatorOf);
  return objectHandlers(deps, definitionCollection(deps, { kind: 'mutators', configured, isRunByBackend: true }));
}

/** Converts the definitions of the configuration to v2 objects, which are all in the namespace `default`. */
function shownAll<Configured, Shown>(
  configured: ReadonlyMap<string, Configured>,
  shown: (namespace: string, name: string, one: Configured) => Shown,
): Shown[] {
  return Array.from(configured, ([name, one]) => shown(DEFAULT_NAMESPACE, name, one));
}
