import type { Logger } from '../../base/logger.ts'
import type { Random } from '../../base/random.ts'
import type { Backend, BackendChange, LoadedState } from './backend.ts'
import { decryptText, encryptText, isEncrypted, isEncryptedWith } from './encryption-keys.ts'
import type { EncryptionKeys } from './encryption-keys.ts'

export type EncryptionParts = {
  readonly keys: EncryptionKeys
  /** Storages whose objects are encrypted: `secrets`. */
  readonly storages: ReadonlySet<string>
  readonly random: Random
  readonly log: Logger
}

/** Encrypts the objects of some storages before they reach the disk. What is stored as plain text, or with an older key, is encrypted again at the start. */
export function createEncryptedBackend(backend: Backend, parts: EncryptionParts): Backend {
  const { keys, storages, random, log } = parts
  const [primary] = keys.keys
  const placeOf = ({ storage, key }: { storage: string; key: string }): string => `${storage}/${key}`
  const encrypt = (change: BackendChange): BackendChange =>
    change.json === undefined || !storages.has(change.storage)
      ? change
      : { ...change, json: encryptText(primary, placeOf(change), change.json, random) }

  const load = async (): Promise<LoadedState> => {
    const state = await backend.load()
    try {
      const outdated: BackendChange[] = []
      const objects = Array.from(state.objects, (row) => {
        if (!storages.has(row.storage)) return row
        const open = isEncrypted(row.json) ? { ...row, json: decryptText(keys, placeOf(row), row.json) } : row
        if (!isEncryptedWith(primary, row.json)) outdated.push(encrypt(open))
        return open
      })
      // Only now: a new key beside objects that need another one would hide that the file is missing.
      await keys.save()
      if (outdated.length > 0) {
        await backend.commit(outdated)
        log.info('stored objects were encrypted', { objects: outdated.length, key: primary.name })
      }
      return { ...state, objects }
    } catch (error) {
      await backend.close()
      throw error
    }
  }
  return { ...backend, load, commit: (changes) => backend.commit(changes.map(encrypt)) }
}
