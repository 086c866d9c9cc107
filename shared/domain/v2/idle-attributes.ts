import { idleAttributes } from './import-losses.ts';

const SECRETS_REMARK = 'secrets are not fetched from providers: use the environment of the backend or of the agent';
const ASSETS_REMARK = 'assets are not fetched by this backend: install what the command needs on its host';

/**
 * Attributes of Sensu Go objects that are stored and shown but have no effect in mon, each with the reason. The kinds
 * of objects are named as in the API path. If a request sets such an attribute, the response contains a warning;
 * docs/v2-api.md lists them.
 */
export const IDLE_ATTRIBUTES: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  checks: {
    secrets: SECRETS_REMARK,
    output_metric_thresholds: 'metrics are not compared with thresholds: let the check set its status',
    fallback_pipeline: 'fallback pipelines are not supported: add the pipeline to pipelines',
  },
  handlers: { secrets: SECRETS_REMARK, runtime_assets: ASSETS_REMARK },
  filters: {
    runtime_assets: 'assets are not fetched by this backend: filters can use only the built-in functions',
  },
  mutators: { secrets: SECRETS_REMARK, runtime_assets: ASSETS_REMARK },
  pipelines: { continue_on_error: 'each workflow runs even if others fail' },
};

/** Returns the warnings about attributes of a v2 object that have no effect in mon. */
export function idleWarnings(kind: string, definition: Readonly<Record<string, unknown>>): string[] {
  return idleAttributes(definition, IDLE_ATTRIBUTES[kind] ?? {}).map(
    ({ attribute, reason }) => `${attribute}: ${reason}`,
  );
}
