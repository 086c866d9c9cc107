import { idleAttributes } from './lost.ts';

const NO_SECRETS = 'secrets are not fetched from providers: use the environment of the backend or of the agent';
const NO_ASSETS = 'assets are not fetched by this backend: install what the command needs where it runs';

/**
 * Attributes of the peer that are stored and shown but have no effect here, with the reason, by the kind of definition
 * as in its path. The response to storing one names it; docs/v2-api.md lists them.
 */
export const IDLE_ATTRIBUTES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  checks: {
    secrets: NO_SECRETS,
    output_metric_thresholds: 'metrics are not compared with thresholds: have the check say its status',
    fallback_pipeline: 'there is no fallback pipeline: name it in pipelines',
  },
  handlers: { secrets: NO_SECRETS, runtime_assets: NO_ASSETS },
  filters: {
    runtime_assets: 'assets are not fetched by this backend: a filter has the functions of the expressions alone',
  },
  mutators: { secrets: NO_SECRETS, runtime_assets: NO_ASSETS },
  pipelines: { continue_on_error: 'each workflow runs whatever becomes of the others' },
};

/** Returns the warnings about attributes of a definition that have no effect here. */
export function idleWarnings(kind: string, definition: Readonly<Record<string, unknown>>): string[] {
  return idleAttributes(definition, IDLE_ATTRIBUTES[kind] ?? {}).map(
    ({ attribute, reason }) => `${attribute}: ${reason}`,
  );
}
