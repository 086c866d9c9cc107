import { VERSION } from '../../../shared/schemas/version.ts';
import type { CommandCall } from '../command.ts';
import type { Column } from '../table.ts';
import { liveFacts } from './gather-facts.ts';

/** A backend, monctl, or all agents of one version. */
export interface RunningVersion {
  readonly program: 'backend' | 'agent' | 'monctl';
  /** Name of the backend, `here` for monctl, or the names of some of the agents. */
  readonly where: string;
  /** Null if the version is unknown. */
  readonly version: string | null;
  readonly count: number;
  /** True if the version is that of the backend, or an API level that the backend is compatible with. */
  readonly agrees: boolean;
}

const NAMED_AGENTS_MAX = 3;

export const VERSION_COLUMNS: readonly Column<RunningVersion>[] = [
  { title: 'PROGRAM', text: ({ program }) => program },
  { title: 'VERSION', text: ({ version }) => version ?? 'unknown' },
  { title: 'COUNT', align: 'right', text: ({ count }) => String(count) },
  { title: '', text: ({ agrees }) => (agrees ? '' : 'differs'), style: () => 'yellow' },
  { title: 'WHERE', text: ({ where }) => where },
];

/**
 * Returns the versions of all programs: first the backends, then the agents with the most frequent version first, then
 * monctl.
 */
export async function versionsOfAll(call: CommandCall): Promise<readonly RunningVersion[]> {
  const facts = await liveFacts(call);
  const own = facts.product === 'mon' ? (await call.api().versions()).backend.version : undefined;
  const backends = facts.backends ?? [];
  const accepted = new Set([own, ...backends.map(({ version }) => version)]);
  const agrees = (version: string | null): boolean => version !== null && accepted.has(version);
  const [first] = backends;
  return [
    ...backends.map(({ name, version }): RunningVersion => {
      const shown = own === undefined || version === null ? version : `${own} (API level ${version})`;
      return { program: 'backend', where: name, version: shown, count: 1, agrees: version === first?.version };
    }),
    ...agentsOf(facts.agents ?? []).map(([version, names]): RunningVersion => ({
      program: 'agent',
      where: names.slice(0, NAMED_AGENTS_MAX).join(', '),
      version,
      count: names.length,
      agrees: agrees(version),
    })),
    // The version of monctl cannot be compared with a backend other than mon, so it counts as equal.
    { program: 'monctl', where: 'here', version: VERSION, count: 1, agrees: own === undefined || own === VERSION },
  ];
}

function agentsOf(
  agents: readonly { readonly namespace: string; readonly name: string; readonly version: string | null }[],
): readonly (readonly [version: string | null, names: readonly string[]])[] {
  const byVersion = Map.groupBy(agents, ({ version }) => version);
  return [...byVersion]
    .map(([version, some]) => [version, some.map(({ namespace, name }) => `${namespace}/${name}`)] as const)
    .toSorted(([, a], [, b]) => b.length - a.length);
}

/** Returns a text that lists the programs whose version differs from that of the backend; empty if there are none. */
export function differingVersionsText(all: readonly RunningVersion[]): string {
  return all
    .filter(({ agrees }) => !agrees)
    .map(({ program, version, count }) => `${String(count)} ${program} at ${version ?? 'an unknown version'}`)
    .join(', ');
}
