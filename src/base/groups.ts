/** Unique members by group, in the order in which they were added. A group is removed with its last member. */
export class Groups<Member> {
  readonly #groups = new Map<string, Set<Member>>()

  add(group: string, member: Member): void {
    const members = this.#groups.get(group)
    if (members) members.add(member)
    else this.#groups.set(group, new Set([member]))
  }

  delete(group: string, member: Member): void {
    const members = this.#groups.get(group)
    if (members?.delete(member) && members.size === 0) this.#groups.delete(group)
  }

  /** Valid until the next change. */
  get(group: string): Iterable<Member> {
    return this.#groups.get(group) ?? []
  }

  has(group: string): boolean {
    return this.#groups.has(group)
  }

  names(): Iterable<string> {
    return this.#groups.keys()
  }
}
