/**
 * The machines of the demonstration site and their roles. The site is always the same: 40 racks in two zones, each with
 * a switch and 49 hosts.
 */

export type MachineRole = 'switch' | 'web' | 'app' | 'db' | 'cache' | 'storage';

export interface Machine {
  readonly name: string;
  /** Index of the machine among all machines, from 0. */
  readonly at: number;
  readonly role: MachineRole;
  /** Name of the rack such as `r07`. */
  readonly rack: string;
  readonly zone: 'east' | 'west';
  readonly team: string;
}

const RACK_COUNT = 40;

/** The number of hosts of each role in a rack; 49 in total. The list is in the order in which the hosts are created. */
const HOSTS_PER_ROLE: readonly (readonly [MachineRole, number])[] = [
  ['web', 20],
  ['app', 14],
  ['db', 6],
  ['cache', 5],
  ['storage', 4],
];

const TEAM_BY_ROLE: Readonly<Record<MachineRole, string>> = {
  switch: 'network',
  web: 'frontend',
  app: 'backend',
  db: 'data',
  cache: 'backend',
  storage: 'data',
};

/** Returns the name of a rack, such as `r07`; `rack` is its index from 0. */
export const rackName = (rack: number): string => `r${String(rack + 1).padStart(2, '0')}`;
/** Returns the name of the switch that connects the hosts of a rack. */
export const switchOf = (rack: string): string => `sw-${rack}`;

export const ALL_MACHINES: readonly Machine[] = buildMachines();

function buildMachines(): Machine[] {
  const all: Machine[] = [];
  const numbers = new Map<MachineRole, number>();
  for (let at = 0; at < RACK_COUNT; at++) {
    const rack = rackName(at);
    const zone = at < RACK_COUNT / 2 ? 'east' : 'west';
    const add = (role: MachineRole, name: string): void => {
      all.push({ name, at: all.length, role, rack, zone, team: TEAM_BY_ROLE[role] });
    };
    add('switch', switchOf(rack));
    for (const [role, count] of HOSTS_PER_ROLE) {
      for (let host = 0; host < count; host++) {
        const number = (numbers.get(role) ?? 0) + 1;
        numbers.set(role, number);
        add(role, `${role}-${String(number).padStart(3, '0')}`);
      }
    }
  }
  return all;
}

/** One in every seven machines reports an old agent version. */
const OLD_AGENT_EVERY = 7;

/** Returns the client record of a machine, in the form that `POST /clients` accepts. */
export function clientOfMachine({ name, at, role, rack, zone, team }: Machine): Readonly<Record<string, unknown>> {
  return {
    name,
    address: `10.${zone === 'east' ? '1' : '2'}.${String(Math.floor(at / 250))}.${String((at % 250) + 1)}`,
    subscriptions: [role, `rack:${rack}`, `zone:${zone}`],
    version: at % OLD_AGENT_EVERY === 0 ? '0.29.0' : '1.9.0',
    environment: at % 10 === 9 ? 'staging' : 'production',
    role,
    rack,
    zone,
    team,
  };
}
