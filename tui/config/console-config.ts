import type { CredentialsEnv } from '../../shared/client/backend-address.ts';
import type { ConfiguredKeys } from '../state/keys.ts';
import { DEFAULT_AGGREGATE_THRESHOLDS, type AggregateThresholds } from '../model/aggregate-book.ts';
import type { ViewName } from '../state/view-names.ts';
import type { Skin } from '../text/theme.ts';
import type { OwnCommand } from '../state/own-command.ts';
import type { SavedView } from '../state/saved-view.ts';

/**
 * Where a secret is read from: an environment variable or a file. A secret is never written in the configuration file
 * itself.
 */
export type SecretSource = { readonly env: string } | { readonly file: string };

/** A context: a backend under a name that the user chose. */
export interface ContextConfig {
  readonly backend: string;
  /** The name of the user who logs in with `password`; it cannot be combined with `key`. */
  readonly user?: string | undefined;
  readonly password?: SecretSource | undefined;
  readonly key?: SecretSource | undefined;
  /** Path of a PEM file with the CA certificates that verify the certificate of the backend. */
  readonly 'trusted-ca-file'?: string | undefined;
  /** Whether the certificate of the backend is accepted without verification. */
  readonly 'insecure-skip-tls-verify'?: boolean | undefined;
  /** The default namespace of `monctl` in this context. */
  readonly namespace?: string | undefined;
}

/** The configuration of the console. */
export interface ConsoleConfig {
  readonly keys: ConfiguredKeys;
  readonly views: ReadonlyMap<string, SavedView>;
  /** The commands of the user, in their order in the file. */
  readonly commands: readonly OwnCommand[];
  /** The columns to show, by view; a view without an entry shows all columns. */
  readonly columns: Readonly<Partial<Record<ViewName, readonly string[]>>>;
  readonly contexts: ReadonlyMap<string, ContextConfig>;
  readonly aggregateNeeds: AggregateThresholds;
  /** The name of the context to connect to at start; `all` shows all contexts as one list. */
  readonly context?: string | undefined;
  readonly skin?: Skin | undefined;
  readonly ascii?: boolean | undefined;
  readonly mouse?: boolean | undefined;
  readonly bell?: boolean | undefined;
  readonly notify?: boolean | undefined;
  /** Zone of all times that are shown and typed; `undefined` for the zone of the process. */
  readonly 'time-zone'?: string | undefined;
  /** Warnings about renamed settings in the file. Their old names still work, but should be replaced. */
  readonly warnings: readonly ConfigWarning[];
}

export interface ConfigWarning {
  /** The top-level setting that the warning is about, such as `contexts`. */
  readonly section: string;
  /** The text of the warning, preceded by the file, the line and the column. */
  readonly text: string;
}

export const EMPTY_CONFIG: ConsoleConfig = {
  keys: {},
  views: new Map(),
  commands: [],
  columns: {},
  contexts: new Map(),
  aggregateNeeds: DEFAULT_AGGREGATE_THRESHOLDS,
  warnings: [],
};

/** The address of a backend with its credentials. */
export interface ResolvedContext {
  readonly backend: string;
  readonly env: CredentialsEnv;
}
