import { z } from 'zod';
import { responseSchema, textsSchema, type ResponseOf } from './response.ts';

/**
 * Upgrade plans: facts about the installation, findings of rules, and the steps of the upgrade (reference 9, completion
 * 1.19).
 */

/** A Sensu Go version in rules and plans, such as `6.4.0`. */
export const versionSchema = z
  .string()
  .max(40)
  .regex(/^\d{1,4}\.\d{1,4}\.\d{1,4}$/, 'must be a version like 6.4.0');

/** Facts that only an operator can attest, because no program can determine them. */
export const ATTESTABLE_FACTS = ['relational-backup', 'entity-limit'] as const;

const objectNameSchema = z.object({ namespace: z.string().max(255), name: z.string().max(1024) });
/** The namespace and name of a check or an entity. */
export type ObjectName = z.infer<typeof objectNameSchema>;

const countSchema = z.int().min(0);
/** A time in epoch seconds. */
const timeSecondsSchema = z.number().min(0);
const shortText = z.string().max(4096);
const manyObjects = 1_000_000;

/** Facts about an installation. An absent fact is unknown; an empty list is a known fact. */
export const upgradeFactsSchema = z.object({
  /**
   * The installed product. `mon`: this program, which executes backup, drain and migration itself; `cluster`: a Sensu
   * Go cluster.
   */
  product: z.enum(['mon', 'cluster']),
  /** Time at which the facts were collected, in epoch seconds. */
  taken_at: timeSecondsSchema,
  namespaces: z.array(z.string().max(255)).max(manyObjects).optional(),
  checks: z.array(objectNameSchema).max(manyObjects).optional(),
  entities: z
    .object({
      total: countSchema,
      /** A few of the newest entities, newest first. */
      newest: z.array(objectNameSchema).max(100),
      /** Maximum number of entities by the license or the setting `entity-limit`; null: no limit. */
      limit: countSchema.nullable(),
    })
    .optional(),
  /** The agents. `version` is null if the agent never sent its version. */
  agents: z
    .array(objectNameSchema.extend({ version: z.string().max(255).nullable() }))
    .max(manyObjects)
    .optional(),
  pipelines: countSchema.optional(),
  /** Number of events in the relational database. */
  event_rows: countSchema.optional(),
  backends: z
    .array(
      z.object({
        name: z.string().max(1024),
        /** Version of the backend; null: unknown. */
        version: z.string().max(255).nullable(),
        /** The response of the backend's health port; null if it was not requested, or did not respond. */
        healthy: z.boolean().nullable(),
      }),
    )
    .max(1000)
    .optional(),
  /** Whether the key-value store runs inside the backend or as a separate program. */
  key_value_store: z.enum(['embedded', 'external']).optional(),
  event_store: z.enum(['key-value', 'relational']).optional(),
  dump: z
    .object({
      file: shortText,
      taken_at: timeSecondsSchema,
      /** Number of objects in the dump by type, such as `CheckConfig`. */
      counts: z.record(z.string().max(255), countSchema),
      /** The reason why the dump cannot be restored; null if it was read completely. */
      problem: shortText.nullable(),
    })
    .optional(),
  /** Number of objects in the installation by type, for a comparison with the dump. */
  counts: z.record(z.string().max(255), countSchema).optional(),
  snapshot: z.object({ file: shortText, taken_at: timeSecondsSchema, problem: shortText.nullable() }).optional(),
  disk: z.object({ path: shortText, free_bytes: countSchema, needed_bytes: countSchema }).optional(),
  certificates: z
    .array(
      z.object({
        file: shortText,
        common_name: z.string().max(1024).nullable(),
        /** The Subject Alternative Names of the certificate. */
        names: z.array(z.string().max(1024)).max(10_000),
        /** The reason why the certificate could not be read; null if it was read. */
        problem: shortText.nullable(),
      }),
    )
    .max(1000)
    .optional(),
  install: z.enum(['package', 'binary']).optional(),
  state_dir: z
    .object({
      /** The configured setting `state-dir`; null if it is not set. */
      configured: shortText.nullable(),
      old_has_data: z.boolean(),
      new_has_data: z.boolean(),
    })
    .optional(),
  /** Stashes that silence events, and obstacles to their conversion to silences. */
  silence_stashes: z
    .object({
      total: countSchema,
      /** Paths of stashes that do not name a valid target. */
      unclear: z.array(z.string().max(1024)).max(1000),
      /** Clients that lack their own subscription, or are older than 0.26. */
      unready: z.array(z.string().max(1024)).max(1000),
    })
    .optional(),
  attested: z.array(z.enum(ATTESTABLE_FACTS)).max(ATTESTABLE_FACTS.length),
});
export type UpgradeFacts = z.infer<typeof upgradeFactsSchema>;

export const ruleVerdictSchema = z.enum(['pass', 'warn', 'block']);
export type RuleVerdict = z.infer<typeof ruleVerdictSchema>;

/** The result of one rule. */
export const findingResponse = responseSchema(
  z.object({
    rule: z.string(),
    title: z.string(),
    verdict: ruleVerdictSchema,
    /** Observations for people, one per line. */
    evidence: textsSchema,
    /** Instructions, one per line; empty if nothing needs to be done. */
    remedy: textsSchema,
  }),
);
export type Finding = z.infer<typeof findingResponse>;

/**
 * The subject of a step that checks something: all rules, the health of the backends, whether their versions agree,
 * whether all entities are still there, or one rule.
 */
export type StepCheck = 'rules' | 'health' | 'versions-agree' | 'entities-kept' | `rule:${string}`;
const STEP_CHECK_NAMES: ReadonlySet<unknown> = new Set(['rules', 'health', 'versions-agree', 'entities-kept']);
const stepCheck = z.custom<StepCheck>(
  (value) => typeof value === 'string' && (STEP_CHECK_NAMES.has(value) || value.startsWith('rule:')),
  'is not a known check',
);

export const stepResponse = z.object({
  /** Id of the step, unique within its plan. */
  id: z.string(),
  /**
   * Kind of the step. `check`: it runs by itself; `action`: the backend executes it; `manual`: the operator follows the
   * instructions, then confirms.
   */
  kind: z.enum(['check', 'action', 'manual']),
  title: z.string(),
  /** Reasons for the step and warnings, one per line. */
  details: textsSchema,
  /** The rule that added the step; absent if the step is part of every upgrade. */
  rule: z.string().exactOptional(),
  /** The action of an `action` step. */
  action: z.enum(['backup', 'drain', 'migrate', 'resume', 'fix-namespaces', 'migrate-stashes']).exactOptional(),
  /** The check of a `check` step. For a `manual` step: the verification after the operator confirms. */
  check: stepCheck.exactOptional(),
  /** Commands of a `manual` step, one per line. */
  commands: textsSchema.exactOptional(),
  /** Text that the operator must type to run the step, because the step cannot be undone. */
  confirm: z.string().exactOptional(),
});
export type PlanStep = ResponseOf<typeof stepResponse>;
export type StepAction = NonNullable<PlanStep['action']>;

export interface UpgradePlan {
  readonly from: string;
  readonly to: string;
  /** The worst verdict of the findings. */
  readonly verdict: RuleVerdict;
  readonly findings: readonly Finding[];
  readonly steps: readonly PlanStep[];
}
