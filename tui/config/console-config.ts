import type { CredentialsEnv } from '../../shared/client/backend-address.ts';
import type { OwnKeys } from '../state/keys.ts';
import { DEFAULT_NEEDS, type AggregateNeeds } from '../model/aggregate-book.ts';
import type { ViewName } from '../state/view-names.ts';
import type { Skin } from '../text/theme.ts';
import type { SavedView } from '../state/saved-view.ts';

/** Where a secret is read from: it is never written in the file itself. */
export type SecretSource = { readonly env: string } | { readonly file: string };

/** A backend by a name of one's own. */
export interface ContextConfig {
  readonly backend: string;
  /** With a password, in place of a key. */
  readonly user?: string | undefined;
  readonly password?: SecretSource | undefined;
  readonly key?: SecretSource | undefined;
  /** PEM: the authorities that its certificate may come from. */
  readonly 'trusted-ca-file'?: string | undefined;
  /** Whether anybody is believed to be it. */
  readonly 'insecure-skip-tls-verify'?: boolean | undefined;
  /** What `monctl` works on there unless it is told otherwise. */
  readonly namespace?: string | undefined;
}

/** What a person has set up for the console. */
export interface ConsoleConfig {
  readonly keys: OwnKeys;
  readonly views: ReadonlyMap<string, SavedView>;
  /** The columns to show, by view; a view that is not named shows all. */
  readonly columns: Readonly<Partial<Record<ViewName, readonly string[]>>>;
  readonly contexts: ReadonlyMap<string, ContextConfig>;
  readonly aggregateNeeds: AggregateNeeds;
  /** The context to begin with. */
  readonly context?: string | undefined;
  readonly skin?: Skin | undefined;
  readonly ascii?: boolean | undefined;
  readonly mouse?: boolean | undefined;
  readonly bell?: boolean | undefined;
  readonly notify?: boolean | undefined;
  /** A line for each old name in the file, with its place and the current name. */
  readonly warnings: readonly string[];
}

export const EMPTY_CONFIG: ConsoleConfig = {
  keys: {},
  views: new Map(),
  columns: {},
  contexts: new Map(),
  aggregateNeeds: DEFAULT_NEEDS,
  warnings: [],
};

/** A backend with what is needed to be let in. */
export interface ResolvedContext {
  readonly backend: string;
  readonly env: CredentialsEnv;
}
