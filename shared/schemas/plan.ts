import { z } from 'zod';
import { answer, texts, type AnswerOf } from './answer.ts';

/**
 * Upgrade plans: the required facts, the findings of rules, and the steps in their order (reference 9, completion
 * 1.19).
 */

/** Sensu Go versions in rules and plans, such as `6.4.0`. */
export const versionSchema = z
  .string()
  .max(40)
  .regex(/^\d{1,4}\.\d{1,4}\.\d{1,4}$/, 'must be a version like 6.4.0');

/** Facts that only an operator can attest, because no program can determine them. */
export const ATTESTATIONS = ['relational-backup', 'entity-limit'] as const;

const objectNameSchema = z.object({ namespace: z.string().max(255), name: z.string().max(1024) });
/** A check or an entity. */
export type ObjectName = z.infer<typeof objectNameSchema>;

const count = z.int().min(0);
/** Epoch seconds. */
const time = z.number().min(0);
const shortText = z.string().max(4096);
const manyObjects = 1_000_000;

/** Facts about an installation. An absent fact is unknown, which differs from an empty one. */
export const upgradeFactsSchema = z.object({
  /** `mon`: this program, which executes backup, drain and migration itself. */
  product: z.enum(['mon', 'cluster']),
  /** Time when the facts were collected, epoch seconds. */
  taken_at: time,
  namespaces: z.array(z.string().max(255)).max(manyObjects).optional(),
  checks: z.array(objectNameSchema).max(manyObjects).optional(),
  entities: z
    .object({
      total: count,
      /** A few of the newest, newest first. */
      newest: z.array(objectNameSchema).max(100),
      /** How many the licence, or the setting `entity-limit`, allows; null: no limit. */
      limit: count.nullable(),
    })
    .optional(),
  /** `version`: null if the agent never sent it. */
  agents: z
    .array(objectNameSchema.extend({ version: z.string().max(255).nullable() }))
    .max(manyObjects)
    .optional(),
  pipelines: count.optional(),
  /** Number of events in the relational database. */
  event_rows: count.optional(),
  backends: z
    .array(
      z.object({
        name: z.string().max(1024),
        /** Null: unknown. */
        version: z.string().max(255).nullable(),
        /** Response of its health port; null if it was not requested, or did not respond. */
        healthy: z.boolean().nullable(),
      }),
    )
    .max(1000)
    .optional(),
  /** Whether the key-value store runs in the backend or separately. */
  key_value_store: z.enum(['embedded', 'external']).optional(),
  event_store: z.enum(['key-value', 'relational']).optional(),
  dump: z
    .object({
      file: shortText,
      taken_at: time,
      /** Number of objects by type, such as `CheckConfig`. */
      counts: z.record(z.string().max(255), count),
      /** The reason why it cannot be restored; null if it was read completely. */
      problem: shortText.nullable(),
    })
    .optional(),
  /** Current number of objects by type, for a comparison with the dump. */
  counts: z.record(z.string().max(255), count).optional(),
  snapshot: z.object({ file: shortText, taken_at: time, problem: shortText.nullable() }).optional(),
  disk: z.object({ path: shortText, free_bytes: count, needed_bytes: count }).optional(),
  certificates: z
    .array(
      z.object({
        file: shortText,
        common_name: z.string().max(1024).nullable(),
        /** Subject Alternative Names. */
        names: z.array(z.string().max(1024)).max(10_000),
        /** The reason why it could not be read; null if it was. */
        problem: shortText.nullable(),
      }),
    )
    .max(1000)
    .optional(),
  install: z.enum(['package', 'binary']).optional(),
  state_dir: z
    .object({
      /** The setting `state-dir`; null: not set. */
      configured: shortText.nullable(),
      old_has_data: z.boolean(),
      new_has_data: z.boolean(),
    })
    .optional(),
  /** Stashes that silence, and obstacles to converting them to silences. */
  silence_stashes: z
    .object({
      total: count,
      /** Paths without a valid target. */
      unclear: z.array(z.string().max(1024)).max(1000),
      /** Clients without their own subscription, or older than 0.26. */
      unready: z.array(z.string().max(1024)).max(1000),
    })
    .optional(),
  attested: z.array(z.enum(ATTESTATIONS)).max(ATTESTATIONS.length),
});
export type UpgradeFacts = z.infer<typeof upgradeFactsSchema>;

export const ruleVerdictSchema = z.enum(['pass', 'warn', 'block']);
export type RuleVerdict = z.infer<typeof ruleVerdictSchema>;

/** The finding of one rule. */
export const findingAnswer = answer(
  z.object({
    rule: z.string(),
    title: z.string(),
    verdict: ruleVerdictSchema,
    /** Observations for people. */
    evidence: texts,
    /** Instructions, one per line; empty if nothing needs to be done. */
    remedy: texts,
  }),
);
export type Finding = z.infer<typeof findingAnswer>;

/** The check of a check step, or of a confirmed manual step: all rules, one rule, or the state after the upgrade. */
export type StepCheck = 'rules' | 'health' | 'versions-agree' | 'entities-kept' | `rule:${string}`;
const CHECKS: ReadonlySet<unknown> = new Set(['rules', 'health', 'versions-agree', 'entities-kept']);
const stepCheck = z.custom<StepCheck>(
  (value) => typeof value === 'string' && (CHECKS.has(value) || value.startsWith('rule:')),
  'is not a known check',
);

export const stepAnswer = z.object({
  /** Identifies the step within its plan. */
  id: z.string(),
  /**
   * `check`: runs by itself; `action`: the backend executes it; `manual`: the operator follows the instructions, then
   * confirms.
   */
  kind: z.enum(['check', 'action', 'manual']),
  title: z.string(),
  /** Reasons and cautions, one per line. */
  details: texts,
  /** The rule that added the step; absent: the general procedure. */
  rule: z.string().exactOptional(),
  /** The action of an `action` step. */
  action: z.enum(['backup', 'drain', 'migrate', 'resume', 'fix-namespaces', 'migrate-stashes']).exactOptional(),
  /** The check of a `check` step; for `manual`, the verification after the operator confirms. */
  check: stepCheck.exactOptional(),
  /** Commands of a `manual` step, one per line. */
  commands: texts.exactOptional(),
  /** Text that must be typed to run the step, because it cannot be undone. */
  confirm: z.string().exactOptional(),
});
export type PlanStep = AnswerOf<typeof stepAnswer>;
export type StepAction = NonNullable<PlanStep['action']>;

export interface UpgradePlan {
  readonly from: string;
  readonly to: string;
  /** The worst of the findings. */
  readonly verdict: RuleVerdict;
  readonly findings: readonly Finding[];
  readonly steps: readonly PlanStep[];
}
