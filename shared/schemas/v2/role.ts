import { z } from 'zod';
import { DOTS_MESSAGE, isDotName, NAME_LENGTH_MAX } from '../name.ts';
import { metadataSchema, type StoredV2Object } from './metadata.ts';

const RULES_MAX = 1000;
const SUBJECTS_MAX = 1000;

/** The actions on objects that a rule can allow. */
export const ROLE_VERBS = ['get', 'list', 'create', 'update', 'delete'] as const;
export type RoleVerb = (typeof ROLE_VERBS)[number];

/** The value that stands for all verbs or for all resource types. */
export const ALL_WILDCARD = '*';

const namesSchema = z.array(z.string().max(NAME_LENGTH_MAX)).max(RULES_MAX).nullish();

/** The name of a role, which may contain colons: `system:agent`. */
const roleNameSchema = z
  .string()
  .min(1, 'must not be empty')
  .max(NAME_LENGTH_MAX)
  .regex(/^[\w.:-]+$/, 'must be word characters, dots, hyphens and colons only')
  .refine((name) => !isDotName(name), DOTS_MESSAGE);

const roleMetadata = metadataSchema(roleNameSchema);

const ruleSchema = z.looseObject({
  verbs: z
    .array(
      z.enum([...ROLE_VERBS, ALL_WILDCARD], { error: `must be one of ${[...ROLE_VERBS, ALL_WILDCARD].join(', ')}` }),
    )
    .max(RULES_MAX)
    .nullish(),
  /** Resource types, named by the last part of the path of their lists: `checks`. */
  resources: namesSchema,
  /** Names of the objects that the rule covers; empty: all objects. */
  resource_names: namesSchema,
});

/** A role: the rights that a binding gives to users and groups, in one namespace or in all (completion 1.17). */
export const roleSchema = z.looseObject({
  metadata: roleMetadata,
  rules: z
    .array(ruleSchema, { error: 'must contain at least one rule' })
    .min(1, 'must contain at least one rule')
    .max(RULES_MAX),
});

/** A role binding: the users and groups that have a role, in one namespace or in all. */
export const roleBindingSchema = z.looseObject({
  metadata: roleMetadata,
  subjects: z
    .array(
      z.looseObject({
        type: z.enum(['User', 'Group'], { error: 'must be User or Group' }),
        name: z.string().min(1, 'must not be empty').max(NAME_LENGTH_MAX),
      }),
      { error: 'must contain at least one user or group' },
    )
    .min(1, 'must contain at least one user or group')
    .max(SUBJECTS_MAX),
  role_ref: z.looseObject(
    {
      type: z.enum(['Role', 'ClusterRole'], { error: 'must be Role or ClusterRole' }),
      name: z.string().min(1, 'must not be empty').max(NAME_LENGTH_MAX),
    },
    { error: 'must refer to a role: {"type": "ClusterRole", "name": "view"}' },
  ),
});

export type SubmittedRole = z.infer<typeof roleSchema>;
export type SubmittedRoleBinding = z.infer<typeof roleBindingSchema>;
export type RoleRule = SubmittedRole['rules'][number];

/** A stored role. The namespace `''` stands for all namespaces. */
export type Role = StoredV2Object<SubmittedRole>;
export type RoleBinding = StoredV2Object<SubmittedRoleBinding>;
