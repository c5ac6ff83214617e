import { firstPlace } from '../../base/first-place.ts'

/** A map whose entries can be read in key order, completely or by prefix. */
export class SortedMap<V> {
  readonly #values = new Map<string, V>()
  #keys: string[] = []

  get size(): number {
    return this.#values.size
  }

  get(key: string): V | undefined {
    return this.#values.get(key)
  }

  set(key: string, value: V): void {
    if (!this.#values.has(key)) {
      const last = this.#keys.at(-1)
      if (last === undefined || key > last) this.#keys.push(key)
      else this.#keys.splice(this.#indexOf(key), 0, key)
    }
    this.#values.set(key, value)
  }

  delete(key: string): void {
    if (this.#values.delete(key)) this.#keys.splice(this.#indexOf(key), 1)
  }

  /** Values of the keys with this prefix, in order; without a prefix, all values. */
  *values(prefix = ''): Generator<V, void> {
    for (let index = prefix === '' ? 0 : this.#indexOf(prefix); index < this.#keys.length; index++) {
      const key = this.#keys[index] ?? ''
      if (!key.startsWith(prefix)) return
      const value = this.#values.get(key)
      if (value !== undefined) yield value
    }
  }

  // The first position whose key is not less than the given one.
  #indexOf(key: string): number {
    return firstPlace(0, this.#keys.length, (place) => (this.#keys[place] ?? '') < key)
  }
}
