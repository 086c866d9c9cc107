import { LiveMember, type LiveMemberDependencies, type MemberAddress } from './live-member.ts';

const MEMBER_CHECK_MS = 500;
/**
 * Time after which runs on a member that has left are aborted. A member that stops waits a shorter time for its runs.
 */
const GRACE_MS = 4000;

interface LiveMembersDependencies extends LiveMemberDependencies {
  /** Returns the other members that were seen recently; empty if this backend is not the leader. */
  readonly otherMembers: () => readonly MemberAddress[];
}

/**
 * The other members of the cluster. The leader sends handler runs and messages to them; on followers the list is empty.
 */
export class LiveMembers implements Disposable {
  readonly #dependencies: LiveMembersDependencies;
  /** Members that were seen recently, by their id. */
  readonly #members = new Map<string, LiveMember>();
  readonly #retiredMembers = new Set<LiveMember>();
  readonly #timer: Disposable;

  constructor(dependencies: LiveMembersDependencies) {
    this.#dependencies = dependencies;
    this.#timer = dependencies.clock.every(MEMBER_CHECK_MS, () => this.#updateMembers());
  }

  /** Returns the members that can accept a handler run now. */
  membersWithCapacity(): LiveMember[] {
    return [...this.#members.values()].filter(({ hasCapacity }) => hasCapacity);
  }

  respondingMembers(): LiveMember[] {
    return [...this.#members.values()].filter(({ isResponding }) => isResponding);
  }

  [Symbol.dispose](): void {
    this.#timer[Symbol.dispose]();
    for (const member of [...this.#members.values(), ...this.#retiredMembers]) member[Symbol.dispose]();
    this.#members.clear();
    this.#retiredMembers.clear();
  }

  #updateMembers(): void {
    const addresses = new Map(this.#dependencies.otherMembers().map((address) => [address.id, address]));
    for (const [id, member] of this.#members) {
      const address = addresses.get(id);
      if (address === undefined) this.#retire(member);
      else if (!isSameAddress(address, member.address)) member.changeAddress(address);
    }
    for (const [id, address] of addresses) {
      const member = this.#members.get(id) ?? new LiveMember(address, this.#dependencies);
      this.#members.set(id, member);
      void member.queryIfDue();
    }
  }

  #retire(member: LiveMember): void {
    this.#members.delete(member.address.id);
    this.#retiredMembers.add(member);
    this.#dependencies.clock.after(GRACE_MS, () => {
      this.#retiredMembers.delete(member);
      member[Symbol.dispose]();
    });
  }
}

function isSameAddress(one: MemberAddress, other: MemberAddress): boolean {
  return one.url === other.url && one.fingerprint === other.fingerprint;
}
