/** The machines of the demonstration: 40 racks in two zones, a switch and 49 hosts in each. Always the same ones. */

export type Role = 'switch' | 'web' | 'app' | 'db' | 'cache' | 'storage';

export interface Machine {
  readonly name: string;
  /** Its place among all of them, from 0. */
  readonly at: number;
  readonly role: Role;
  /** As `r07`. */
  readonly rack: string;
  readonly zone: 'east' | 'west';
  readonly team: string;
}

const RACKS = 40;

/** Of the hosts of a rack: the first have the first role, and so on. 49 in all. */
const HOSTS: readonly (readonly [Role, number])[] = [
  ['web', 20],
  ['app', 14],
  ['db', 6],
  ['cache', 5],
  ['storage', 4],
];

const TEAMS: Readonly<Record<Role, string>> = {
  switch: 'network',
  web: 'frontend',
  app: 'backend',
  db: 'data',
  cache: 'backend',
  storage: 'data',
};

/** As racks are called everywhere; `rack` is from 0. */
export const rackName = (rack: number): string => `r${String(rack + 1).padStart(2, '0')}`;
/** The switch that the hosts of a rack are behind. */
export const switchOf = (rack: string): string => `sw-${rack}`;

export const MACHINES: readonly Machine[] = machines();

function machines(): Machine[] {
  const all: Machine[] = [];
  const numbers = new Map<Role, number>();
  for (let at = 0; at < RACKS; at++) {
    const rack = rackName(at);
    const zone = at < RACKS / 2 ? 'east' : 'west';
    const add = (role: Role, name: string): void => {
      all.push({ name, at: all.length, role, rack, zone, team: TEAMS[role] });
    };
    add('switch', switchOf(rack));
    for (const [role, count] of HOSTS) {
      for (let host = 0; host < count; host++) {
        const number = (numbers.get(role) ?? 0) + 1;
        numbers.set(role, number);
        add(role, `${role}-${String(number).padStart(3, '0')}`);
      }
    }
  }
  return all;
}

/** Agents that nobody has upgraded yet are one in seven. */
const OLD_AGENT_EVERY = 7;

/** The client record of a machine, as `POST /clients` takes it. */
export function clientOf({ name, at, role, rack, zone, team }: Machine): Readonly<Record<string, unknown>> {
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
