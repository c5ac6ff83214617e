type JsonObject = Record<string, unknown>

/** A problem with one operation of a patch. */
export class PatchProblem extends Error {
  readonly kind: PatchProblemKind

  constructor(kind: PatchProblemKind, message: string) {
    super(message)
    this.kind = kind
  }
}

export type PatchProblemKind = 'test-failed' | 'bad-path' | 'too-large'

const badPath = (message: string): PatchProblem => new PatchProblem('bad-path', message)

// As in kube-apiserver. A subtree copied into itself doubles: thirty such operations would create gigabytes.
const MOST_COPIED_BYTES = 3 * 1024 * 1024

// List items that move because an item before them is inserted or removed, over all operations: about 50 ms.
const MOST_SHIFTED_ITEMS = 20_000_000

/**
 * A document while a patch is applied to it. Each object and list is copied at most once, when it first changes, and then changed in place, so the
 * time for a patch grows with the sizes of document and patch, not with their product. The document itself is not changed. Methods throw a
 * `PatchProblem`.
 */
export class PatchedDocument {
  #root: unknown
  // Containers created here. Each is reachable through one path only, so changing it changes one place.
  readonly #owned = new Set<object>()
  // Sizes of copied containers. A container that is not owned does not change, and neither does anything inside.
  readonly #sizes = new Map<object, number>()
  #copiedBytes = 0
  #shiftedItems = 0

  constructor(document: unknown) {
    this.#root = document
  }

  get root(): unknown {
    return this.#root
  }

  read(path: readonly string[]): unknown {
    let value = this.#root
    for (const part of path) value = memberOf(value, part)
    return value
  }

  add(path: readonly string[], value: unknown): void {
    const last = path.at(-1)
    if (last === undefined) {
      this.#root = value
      return
    }
    const parent = this.#own(path)
    if (Array.isArray(parent)) {
      const index = last === '-' ? parent.length : indexIn(last, parent.length)
      this.#shift(parent.length - index)
      parent.splice(index, 0, value)
    } else if (isJsonObject(parent)) setMember(parent, last, value)
    else throw badPath(`what should hold ${JSON.stringify(last)} is neither object nor list`)
  }

  replace(path: readonly string[], value: unknown): void {
    const last = path.at(-1)
    if (last === undefined) {
      this.#root = value
      return
    }
    const parent = this.#own(path)
    memberOf(parent, last)
    setPlace(parent as JsonObject | unknown[], last, value) // it has that member
  }

  remove(path: readonly string[]): void {
    const last = path.at(-1)
    if (last === undefined) throw badPath('the whole document cannot be removed')
    const parent = this.#own(path)
    memberOf(parent, last)
    if (Array.isArray(parent)) {
      this.#shift(parent.length - Number(last))
      parent.splice(Number(last), 1)
    } else delete (parent as JsonObject)[last] // it has that member
  }

  copy(from: readonly string[], path: readonly string[]): void {
    const value = this.read(from)
    // Now it is reachable through two paths.
    this.#copiedBytes += this.#disown(value)
    if (this.#copiedBytes > MOST_COPIED_BYTES) {
      throw new PatchProblem(
        'too-large',
        `Unable to complete the copy, the accumulated size increase of copy is ${this.#copiedBytes}, exceeding the limit ${MOST_COPIED_BYTES}`,
      )
    }
    this.add(path, value)
  }

  move(from: readonly string[], path: readonly string[]): void {
    const isSelf = from.every((part, index) => path[index] === part)
    if (isSelf && from.length < path.length) throw badPath('nothing can be moved into itself')
    const value = this.read(from)
    if (isSelf) return
    this.remove(from)
    this.add(path, value)
  }

  /** The container of the last part of the path, owned and thus safe to change. */
  #own(path: readonly string[]): unknown {
    let holder = (this.#root = this.#ownedCopy(this.#root))
    for (let index = 0; index < path.length - 1; index++) {
      const part = path[index] as string // the index is below the length
      const member = memberOf(holder, part)
      const owned = this.#ownedCopy(member)
      if (owned !== member) setPlace(holder as JsonObject | unknown[], part, owned) // it has that member
      holder = owned
    }
    return holder
  }

  #ownedCopy(value: unknown): unknown {
    if (typeof value !== 'object' || value === null || this.#owned.has(value)) return value
    const copy: object = Array.isArray(value) ? value.slice() : { ...value }
    this.#owned.add(copy)
    return copy
  }

  /** Makes everything inside be copied before it changes again. Returns its size as JSON. */
  #disown(value: unknown): number {
    if (typeof value === 'string') return sizeOfText(value)
    if (typeof value !== 'object' || value === null) return String(value).length
    const known = this.#owned.delete(value) ? undefined : this.#sizes.get(value)
    const size = known ?? (Array.isArray(value) ? this.#disownItems(value) : this.#disownMembers(value as JsonObject))
    this.#sizes.set(value, size)
    return size
  }

  #disownItems(items: readonly unknown[]): number {
    let size = Math.max(2, items.length + 1)
    for (const item of items) size += this.#disown(item)
    return size
  }

  #disownMembers(object: JsonObject): number {
    const keys = Object.keys(object)
    let size = Math.max(2, 2 * keys.length + 1)
    for (const key of keys) size += sizeOfText(key) + this.#disown(object[key])
    return size
  }

  #shift(items: number): void {
    this.#shiftedItems += items
    if (this.#shiftedItems > MOST_SHIFTED_ITEMS) {
      throw new PatchProblem(
        'too-large',
        `Unable to complete the patch, the accumulated number of shifted list items is ${this.#shiftedItems}, exceeding the limit ${MOST_SHIFTED_ITEMS}`,
      )
    }
  }
}

function memberOf(value: unknown, part: string): unknown {
  if (Array.isArray(value)) return value[indexIn(part, value.length - 1)]
  if (isJsonObject(value) && Object.hasOwn(value, part)) return value[part]
  throw badPath(`there is no ${JSON.stringify(part)}`)
}

function indexIn(part: string, largest: number): number {
  const index = /^(0|[1-9]\d*)$/.test(part) ? Number(part) : undefined
  if (index === undefined) throw badPath(`${JSON.stringify(part)} is no place in a list`)
  if (index > largest) throw badPath(`${part} is past the end of the list`)
  return index
}

function setPlace(holder: JsonObject | unknown[], part: string, value: unknown): void {
  if (Array.isArray(holder)) holder[Number(part)] = value
  else setMember(holder, part, value)
}

// Works for every name: `__proto__` is a possible key of a ConfigMap.
function setMember(object: JsonObject, key: string, value: unknown): void {
  if (key === '__proto__')
    Object.defineProperty(object, key, { value, enumerable: true, configurable: true, writable: true })
  else object[key] = value
}

const sizeOfText = (text: string): number => Buffer.byteLength(text) + 2

const isJsonObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
