import { z } from 'zod';
import { answer, texts, type AnswerOf } from './answer.ts';

/** Plans for upgrades: what has to be known, what the rules find, and the steps in their order (reference 9, completion 1.19). */

/** The versions of the newer generation that rules and plans are about, as `6.4.0`. */
export const versionSchema = z
  .string()
  .max(40)
  .regex(/^\d{1,4}\.\d{1,4}\.\d{1,4}$/, 'must be a version like 6.4.0');

/** What an operator can vouch for, because no program can find it out. */
export const ATTESTATIONS = ['relational-backup', 'entity-limit'] as const;

const objectNameSchema = z.object({ namespace: z.string().max(255), name: z.string().max(1024) });
/** A check or an entity. */
export type ObjectName = z.infer<typeof objectNameSchema>;

const count = z.int().min(0);
/** Epoch seconds. */
const time = z.number().min(0);
const shortText = z.string().max(4096);
const manyObjects = 1_000_000;

/**
 * What is known about an installation. Absent: it could not be found out from where the facts were gathered, which is
 * something else than none.
 */
export const upgradeFactsSchema = z.object({
  /** `mon`: this program, which does backup, drain and migration itself. */
  product: z.enum(['mon', 'cluster']),
  /** When the facts were gathered, epoch seconds. */
  taken_at: time,
  namespaces: z.array(z.string().max(255)).max(manyObjects).optional(),
  checks: z.array(objectNameSchema).max(manyObjects).optional(),
  entities: z
    .object({
      total: count,
      /** The newest first, a few of them. */
      newest: z.array(objectNameSchema).max(100),
      /** How many the licence, or the setting `entity-limit`, allows; null: no limit. */
      limit: count.nullable(),
    })
    .optional(),
  /** `version`: null when the agent never said it. */
  agents: z
    .array(objectNameSchema.extend({ version: z.string().max(255).nullable() }))
    .max(manyObjects)
    .optional(),
  pipelines: count.optional(),
  /** Events in the relational database. */
  event_rows: count.optional(),
  backends: z
    .array(
      z.object({
        name: z.string().max(1024),
        /** Null: not known. */
        version: z.string().max(255).nullable(),
        /** What its health port says; null: nobody asked, or it did not answer. */
        healthy: z.boolean().nullable(),
      }),
    )
    .max(1000)
    .optional(),
  /** Where the key-value store runs: in the backend, or on its own. */
  key_value_store: z.enum(['embedded', 'external']).optional(),
  event_store: z.enum(['key-value', 'relational']).optional(),
  dump: z
    .object({
      file: shortText,
      taken_at: time,
      /** Objects by type, as `CheckConfig`. */
      counts: z.record(z.string().max(255), count),
      /** Why it cannot be restored; null: it was read to its end. */
      problem: shortText.nullable(),
    })
    .optional(),
  /** The live objects by type, to compare the dump with. */
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
        /** Why it could not be read; null: it was. */
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
  /** Stashes that silence, and what stands in the way of making silenced entries of them. */
  silence_stashes: z
    .object({
      total: count,
      /** Paths that name nothing that could be silenced. */
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

/** What one rule finds. */
export const findingAnswer = answer(
  z.object({
    rule: z.string(),
    title: z.string(),
    verdict: ruleVerdictSchema,
    /** What was seen, for people. */
    evidence: texts,
    /** What to do, a line each; empty when there is nothing to do. */
    remedy: texts,
  }),
);
export type Finding = z.infer<typeof findingAnswer>;

/** What a check step, or the end of a manual step, looks at: all rules, one rule, or the state after the upgrade. */
export type StepCheck = 'rules' | 'health' | 'versions-agree' | 'entities-kept' | `rule:${string}`;
const CHECKS: ReadonlySet<unknown> = new Set(['rules', 'health', 'versions-agree', 'entities-kept']);
const stepCheck = z.custom<StepCheck>(
  (value) => typeof value === 'string' && (CHECKS.has(value) || value.startsWith('rule:')),
  'is no check that is known',
);

export const stepAnswer = z.object({
  /** Names it within its plan. */
  id: z.string(),
  /** `check`: runs by itself; `action`: the backend does it; `manual`: the operator does what it says, then confirms. */
  kind: z.enum(['check', 'action', 'manual']),
  title: z.string(),
  /** Why, and what to watch out for; a line each. */
  details: texts,
  /** The rule that it is there for; absent: the general procedure. */
  rule: z.string().exactOptional(),
  /** For `action`. */
  action: z.enum(['backup', 'drain', 'migrate', 'resume', 'fix-namespaces', 'migrate-stashes']).exactOptional(),
  /** For `check`; for `manual` what is looked at when the operator confirms. */
  check: stepCheck.exactOptional(),
  /** For `manual`: what to run, a line each. */
  commands: texts.exactOptional(),
  /** What has to be typed to run it, because it cannot be undone. */
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
