import { OnCallOverrides } from '../on-call/commands.ts';
import { Acknowledgements } from '../acknowledgements/commands.ts';
import { ApiKeys } from '../access/api-keys.ts';
import type { Bcrypt } from '../access/bcrypt.ts';
import { CredentialVersions } from '../access/credential-versions.ts';
import { EscalationGuard } from '../access/escalation-guard.ts';
import type { Issuer } from '../access/oidc/issuer.ts';
import { issuerOfSettings } from '../access/oidc/issuer-of-settings.ts';
import { RoleGuard } from '../access/role-guard.ts';
import { Sessions } from '../access/sessions.ts';
import { Users } from '../access/users.ts';
import { Aggregates } from '../aggregates/commands.ts';
import { ApiCommands } from '../audit/api-commands.ts';
import { Audit } from '../model/audit/mutations.ts';
import { Bulk } from '../bulk/commands.ts';
import { CheckRenamer } from '../checks/rename.ts';
import { Checks } from '../checks/commands.ts';
import { EntityLimit } from '../model/clients/entity-limit.ts';
import { Entities } from '../clients/v2-write.ts';
import { Clients } from '../clients/commands.ts';
import type { Batcher } from '../commit/batcher.ts';
import { DefinitionChanges } from '../definitions/commands.ts';
import { Restore } from '../dump/restore.ts';
import { V2Events } from '../events/v2-write.ts';
import { Events } from '../events/commands.ts';
import { Namespaces } from '../namespaces/commands.ts';
import { AttributeBounds } from '../results/attribute-bounds.ts';
import { Results } from '../results/commands.ts';
import { CommandSilences } from '../silences/command-silences.ts';
import { loadSelectorAttributes } from '../model/silences/selector-attributes.ts';
import { SilencedEntries, type LoadSelectorAttributes } from '../silences/commands.ts';
import { StashMigrations } from '../stashes/migrations.ts';
import { Stashes } from '../stashes/commands.ts';
import { StoreUpgrades } from '../plans/store-upgrades.ts';
import type { PartName } from './start-order.ts';
import type { Teardown } from './teardown.ts';
import { ADMINISTRATORS_GROUP } from '../../../shared/domain/v2/groups.ts';
import type { Foundation } from './foundation.ts';

/** The components that change stored objects, one for each kind of object; they commit through the batcher. */
export interface Writers {
  readonly entityLimit: EntityLimit;
  readonly results: Results;
  readonly events: Events;
  readonly acknowledgements: Acknowledgements;
  readonly onCallOverrides: OnCallOverrides;
  readonly v2Events: V2Events;
  readonly silenced: SilencedEntries;
  readonly commandSilences: CommandSilences;
  readonly clients: Clients;
  readonly entities: Entities;
  readonly aggregates: Aggregates;
  readonly stashes: Stashes;
  readonly stashMigrations: StashMigrations;
  readonly checks: Checks;
  readonly checkNames: CheckRenamer;
  readonly definitionChanges: DefinitionChanges;
  readonly namespaces: Namespaces;
  readonly audit: Audit;
  readonly bulk: Bulk;
  readonly restore: Restore;
  readonly storeUpgrades: StoreUpgrades;
  readonly users: Users;
  readonly apiKeys: ApiKeys;
  readonly sessions: Sessions;
  /** Returns the identity provider of the settings; undefined if there is none. */
  readonly issuer: () => Issuer | undefined;
  readonly credentialVersions: CredentialVersions;
  readonly escalation: EscalationGuard;
  readonly apiCommands: ApiCommands;
}

export function openWriters(
  { config, fixedLimits, definitions, registry, store, clock, log }: Foundation,
  { batcher, bcrypt }: { readonly batcher: Batcher; readonly bcrypt: Bcrypt },
  teardown: Teardown<PartName>,
): Writers {
  const entityLimit = new EntityLimit(registry, () => config.program['entity-limit'], clock);
  const limits = {
    get proxyClientQuota() {
      return config.program['proxy-client-quota'];
    },
    entityLimit,
  };
  const attributes = new AttributeBounds();
  const learn: LoadSelectorAttributes = (namespace, selectors) =>
    loadSelectorAttributes(registry, store, namespace, selectors);
  const silencesMax = (): number => fixedLimits.silences;
  const silenced = new SilencedEntries(batcher, silencesMax, learn);
  const configuredUser = (): string | undefined => config.api.user;
  const groupsOf = (user: string): readonly string[] =>
    user === configuredUser() ? [ADMINISTRATORS_GROUP] : (registry.credentials.users.get(user)?.groups ?? []);
  const versions = new CredentialVersions({ config, registry, storeId: store.id });
  const issuer = issuerOfSettings(() => config.program.oidc, clock);
  const audit = new Audit(batcher);
  const commands = new ApiCommands(() => ({
    isAllowed: config.program['api-commands'],
    directories: config.program['api-command-directories'],
  }));
  const roles = new RoleGuard(() => configuredUser() !== undefined);
  return {
    entityLimit,
    results: new Results({ batcher, definitions, clock, limits, attributes }),
    events: new Events(batcher),
    acknowledgements: new Acknowledgements(batcher),
    onCallOverrides: new OnCallOverrides(batcher, definitions),
    v2Events: new V2Events({ batcher, definitions, entityLimit, attributes }),
    silenced,
    commandSilences: new CommandSilences(batcher, silenced, silencesMax, learn),
    clients: new Clients({
      batcher,
      entityLimit,
      attributes,
      quarantineSeconds: fixedLimits.quarantineSeconds,
    }),
    entities: new Entities({ batcher, entityLimit, attributes }),
    aggregates: new Aggregates(batcher),
    stashes: new Stashes(batcher),
    stashMigrations: new StashMigrations(batcher, silencesMax),
    checks: new Checks({ batcher, registry }),
    checkNames: new CheckRenamer({ batcher, registry, definitions }),
    definitionChanges: new DefinitionChanges({ batcher, definitions, commands, roles }),
    namespaces: new Namespaces(batcher),
    audit,
    bulk: new Bulk(batcher, silencesMax, learn),
    restore: new Restore({ batcher, definitions, commands, roles, entityLimit, configuredUser, silencesMax }),
    storeUpgrades: teardown.use('store upgrades', new StoreUpgrades({ schema: store.schema, audit, clock, log })),
    users: new Users({
      batcher,
      hashPassword: (password) => bcrypt.hash(password),
      isAdminConfigured: () => configuredUser() !== undefined,
    }),
    apiKeys: teardown.use('API keys', new ApiKeys({ batcher, clock, log, configuredUser })),
    sessions: teardown.use('sessions', new Sessions({ batcher, registry, clock, log, groupsOf, versions, issuer })),
    issuer,
    credentialVersions: versions,
    escalation: new EscalationGuard(registry),
    apiCommands: commands,
  };
}
