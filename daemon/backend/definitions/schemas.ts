import type { z } from 'zod';
import { assetFilterProblems } from '../../../shared/domain/v2/asset.ts';
import { v2AssetSchema } from '../../../shared/schemas/v2/asset.ts';
import { v2CheckSchema } from '../../../shared/schemas/v2/check.ts';
import { v2FilterSchema } from '../../../shared/schemas/v2/filter.ts';
import { v2HandlerSchema } from '../../../shared/schemas/v2/handler.ts';
import { v2HookSchema } from '../../../shared/schemas/v2/hook.ts';
import type { SubmittedV2Object } from '../../../shared/schemas/v2/metadata.ts';
import { v2MutatorSchema } from '../../../shared/schemas/v2/mutator.ts';
import { v2PipelineSchema } from '../../../shared/schemas/v2/pipeline.ts';
import { roleBindingSchema, roleSchema } from '../../../shared/schemas/v2/role.ts';
import type { DefinitionKind } from '../model/definitions/state.ts';

/** The schemas with which the v2 API validates submitted definitions, keyed by the kind of definition. */
export const DEFINITION_SCHEMAS = {
  checks: v2CheckSchema,
  handlers: v2HandlerSchema,
  filters: v2FilterSchema,
  mutators: v2MutatorSchema,
  pipelines: v2PipelineSchema,
  hooks: v2HookSchema,
  assets: v2AssetSchema.superRefine((asset, context) => {
    for (const { path, message } of assetFilterProblems(asset)) {
      context.addIssue({ code: 'custom', path: [...path], message });
    }
  }),
  roles: roleSchema,
  rolebindings: roleBindingSchema,
  clusterroles: roleSchema,
  clusterrolebindings: roleBindingSchema,
} as const satisfies Readonly<Record<DefinitionKind, z.ZodType<SubmittedV2Object>>>;

export type SubmittedDefinition<Kind extends DefinitionKind> = z.infer<(typeof DEFINITION_SCHEMAS)[Kind]>;
