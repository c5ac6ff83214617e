import type { MountEntry, MountFilter } from './host.ts'
import { parseMountInfo } from './parse-mount-info.ts'

/**
 * One snapshot of /proc/self/mountinfo. Lines are parsed only when needed: with a thousand mounts, searching the bytes for a name is a hundred times
 * cheaper than parsing every line.
 */
export class MountTable {
  readonly #bytes: Buffer
  #all: readonly MountEntry[] | undefined

  constructor(bytes: Buffer) {
    this.#bytes = bytes
  }

  /** In mount order. */
  all(): MountEntry[] {
    return [...(this.#all ??= parseMountInfo(this.#bytes.toString()))]
  }

  /** In mount order. */
  find(filter: MountFilter): MountEntry[] {
    const [field, path] = 'target' in filter ? (['target', filter.target] as const) : (['root', filter.root] as const)
    const entries = PLAIN.test(path) ? this.#linesWith(path) : this.all()
    return entries.filter((entry) => entry[field] === path)
  }

  #linesWith(path: string): MountEntry[] {
    const wanted = Buffer.from(` ${path} `)
    const entries: MountEntry[] = []
    for (let at = this.#bytes.indexOf(wanted); at >= 0;) {
      const end = this.#bytes.indexOf('\n', at)
      const line = this.#bytes.subarray(this.#bytes.lastIndexOf('\n', at) + 1, end < 0 ? undefined : end)
      entries.push(...parseMountInfo(line.toString()))
      at = end < 0 ? -1 : this.#bytes.indexOf(wanted, end)
    }
    return entries
  }
}

// The kernel escapes some characters, and may escape others in the future.
const PLAIN = /^[A-Za-z0-9/._~:@%+=,-]+$/
