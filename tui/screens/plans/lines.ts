import type { ActionPorts } from '../../keys/action-ports.ts';
import { safeLine } from '../../../shared/domain/terminal-text.ts';
import { COMPATIBLE_VERSION, VERSION } from '../../../shared/schemas/version.ts';
import type { RecordKind, Versions } from '../../../shared/schemas/versions.ts';
import { countText } from '../../words/count-text.ts';
import { keyOf, type KeyAction } from '../../state/keys.ts';
import type { Tone } from '../../text/theme.ts';
import { CURSOR_AT_TOP, clamp } from '../../state/list-cursor.ts';
import { pageRows, WIDE_COLUMNS } from '../../state/screen-layout.ts';
import { movedPosition } from '../../keys/movement-target.ts';
import type { UpgradeData } from '../../model/view-data.ts';
import type { LiveData } from '../../model/live-data.ts';
import type { ScreenView } from '../../state/ports.ts';

/**
 * A line of the page of versions: a value with its name, or a sentence without a name. It contains no control
 * characters.
 */
export interface UpgradeLine {
  readonly label: string;
  readonly text: string;
  readonly tone: Tone;
}

export interface UpgradeSection {
  readonly title: string;
  readonly lines: readonly UpgradeLine[];
}

/** Scrolls the page that shows the versions of all programs. */
export function scrollVersions(store: ActionPorts, action: KeyAction): void {
  const { rows } = pageRows(store.state);
  const last = Math.max(0, upgradeHeight(store) - rows);
  const top = clamp(store.list.cursor.top, 0, last);
  const to = movedPosition(action, top, { rows, last });
  if (to !== undefined) store.updateList({ cursor: { ...CURSOR_AT_TOP, top: to } });
}

const KIND_WORDS: readonly (readonly [kind: RecordKind, words: string])[] = [
  ['clients', 'clients'],
  ['results', 'results with history'],
  ['events', 'open events'],
  ['silenced', 'silences'],
  ['stashes', 'stashes'],
  ['audit', 'audit records'],
];

/**
 * Returns the sections of each column of the page of versions, from top to bottom. There is one column if the screen is
 * too narrow for two.
 */
export function upgradeColumns(
  store: ScreenView & Pick<LiveData, 'plans' | 'loads'>,
): readonly (readonly UpgradeSection[])[] {
  const { data } = store.loads.loadOf('upgrade');
  const plans = planSection(store);
  if (data === undefined) return [[{ title: 'Versions', lines: [consoleLine(undefined)] }, plans]];
  const { versions } = data;
  const programs = [versionSection(versions), agentSection(versions)];
  const kept = [storeSection(versions), dumpSection(versions), healthSection(data)];
  const isWide = store.state.size.columns >= WIDE_COLUMNS;
  return isWide ? [[...programs, plans], kept] : [[plans, ...programs, ...kept]];
}

/** Returns the number of rows of the longest column, including titles and blank lines. */
export function upgradeHeight(store: ScreenView & Pick<LiveData, 'plans' | 'loads'>): number {
  const heights = upgradeColumns(store).map((sections) =>
    sections.reduce((sum, { lines }) => sum + lines.length + 2, -1),
  );
  return Math.max(...heights);
}

/** Returns the section about the newest upgrade plan. If there is no plan, it says how to create one. */
function planSection(store: Pick<LiveData, 'plans'>): UpgradeSection {
  const { row } = store.plans;
  if (row === undefined) {
    return { title: 'Plans', lines: [upgradeLine('', `${keyOf('plan-new')} creates an upgrade plan`)] };
  }
  const { id, from, to, state, step } = row;
  const summaryLine = upgradeLine(
    '',
    safeLine(`#${String(id)}  ${from} → ${to}  ${state}`),
    state === 'open' ? 'accent' : 'plain',
  );
  const progressLines =
    step === null
      ? []
      : [upgradeLine('', safeLine(`step ${String(step.number)} of ${String(step.total)}: ${step.title}`))];
  const keys = `${keyOf('plan-page')} opens it${state === 'open' ? '' : `, ${keyOf('plan-new')} creates a new one`}`;
  return { title: 'Plans', lines: [summaryLine, ...progressLines, upgradeLine('', keys, 'faint')] };
}

function versionSection({ backend }: Versions): UpgradeSection {
  return {
    title: 'Versions',
    lines: [
      upgradeLine('backend', safeLine(backend.version)),
      consoleLine(backend.version),
      upgradeLine(
        'compatible with',
        safeLine(backend.compatible),
        backend.compatible === COMPATIBLE_VERSION ? 'plain' : 'warning',
      ),
      upgradeLine('backend runtime', `node ${safeLine(backend.node)}`),
    ],
  };
}

function consoleLine(backend: string | undefined): UpgradeLine {
  if (backend === undefined || backend === VERSION) return upgradeLine('this console', VERSION);
  return upgradeLine('this console', `${VERSION}, backend differs`, 'warning');
}

function agentSection({ agents, backend }: Versions): UpgradeSection {
  const lines = agents.map(({ version, clients }) => {
    if (version === '') return upgradeLine('without an agent', clientsText(clients), 'faint');
    return upgradeLine(safeLine(version), clientsText(clients), version === backend.version ? 'plain' : 'warning');
  });
  return { title: 'Agents', lines: lines.length === 0 ? [upgradeLine('', 'no clients yet', 'faint')] : lines };
}

function storeSection({ store }: Versions): UpgradeSection {
  return {
    title: 'Store',
    lines: [
      upgradeLine('schema', String(store.schema)),
      upgradeLine('size', store.bytes === null ? 'unknown' : bytesText(store.bytes)),
      upgradeLine('', `id ${safeLine(store.id)}`),
    ],
  };
}

function dumpSection({ records }: Versions): UpgradeSection {
  return {
    title: 'Records in the dump of the backend',
    lines: KIND_WORDS.map(([kind, words]) => upgradeLine(words, countText(records[kind]))),
  };
}

function healthSection({ health }: UpgradeData): UpgradeSection {
  const { isHealthy, problems } = health;
  const lines = problems.map((problem) => upgradeLine('', safeLine(problem), 'critical'));
  if (isHealthy) return { title: 'Health', lines: [upgradeLine('', '✓ healthy', 'ok')] };
  return {
    title: 'Health',
    lines: lines.length > 0 ? lines : [upgradeLine('', '✗ unhealthy', 'critical')],
  };
}

function upgradeLine(label: string, text: string, tone: Tone = 'plain'): UpgradeLine {
  return { label, text, tone };
}

function clientsText(clients: number): string {
  return `${countText(clients)} ${clients === 1 ? 'client' : 'clients'}`;
}

const BYTE_UNITS = ['KiB', 'MiB', 'GiB', 'TiB'];

function bytesText(bytes: number): string {
  if (bytes < 1024) return `${String(bytes)} bytes`;
  const power = Math.min(BYTE_UNITS.length, Math.floor(Math.log2(bytes) / 10));
  return `${(bytes / 1024 ** power).toFixed(1)} ${BYTE_UNITS[power - 1] ?? ''}`;
}
