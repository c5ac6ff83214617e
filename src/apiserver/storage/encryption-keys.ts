import { createCipheriv, createDecipheriv } from 'node:crypto'
import { readFileIfPresent, replaceFileDurably } from '../../base/host/durable-files.ts'
import type { HostFiles } from '../../base/host/host.ts'
import type { Random } from '../../base/random.ts'

/** A key that encrypts stored objects. */
export type EncryptionKey = { readonly name: string; readonly bytes: Uint8Array }

/** The keys of a file: the first one encrypts, all of them decrypt. */
export type EncryptionKeys = {
  readonly path: string
  readonly keys: readonly [EncryptionKey, ...EncryptionKey[]]
  /** Writes the file if the keys are new. */
  save(): Promise<void>
}

const KEY_BYTES = 32
const NONCE_BYTES = 12
const TAG_BYTES = 16
const LINE = /^([A-Za-z0-9][A-Za-z0-9._-]{0,62}):([A-Za-z0-9+/]{43}=)$/
// As in Kubernetes: method, version and the name of the key.
const PREFIX = 'k8s:enc:aesgcm:v1:'

/** Reads the keys, one `NAME:BASE64` in a line, or creates one in memory: it is written by `save`. */
export async function loadEncryptionKeys(files: HostFiles, path: string, random: Random): Promise<EncryptionKeys> {
  const bytes = await readFileIfPresent(files, path)
  if (bytes) return { path, keys: parseEncryptionKeys(path, new TextDecoder().decode(bytes)), save: async () => {} }
  const name = `key-${Buffer.from(random.bytes(4)).toString('hex')}`
  const key = { name, bytes: random.bytes(KEY_BYTES) }
  const text = `${key.name}:${Buffer.from(key.bytes).toString('base64')}\n`
  const save = (): Promise<void> =>
    replaceFileDurably(files, path, new TextEncoder().encode(text), { mode: 0o600, random })
  return { path, keys: [key], save }
}

/** The error names the line and never shows it. */
export function parseEncryptionKeys(path: string, text: string): EncryptionKeys['keys'] {
  const lines = text.split('\n').map((line) => line.trim())
  const keys = lines.flatMap((line, index): EncryptionKey[] => {
    if (line === '' || line.startsWith('#')) return []
    const [, name, base64] = LINE.exec(line) ?? []
    if (name === undefined || base64 === undefined)
      throw new Error(`${path}, line ${index + 1}: this is not a key; write NAME:KEY, where KEY is 32 bytes in base64`)
    return [{ name, bytes: Buffer.from(base64, 'base64') }]
  })
  const [first, ...others] = keys
  if (!first) throw new Error(`${path} holds no key: restore it from a backup`)
  const repeated = keys.find(({ name }, index) => keys.findIndex((other) => other.name === name) < index)
  if (repeated) throw new Error(`${path} has two keys of the name ${repeated.name}: each key needs a name of its own`)
  return [first, ...others]
}

export const isEncrypted = (text: string): boolean => text.startsWith(PREFIX)

export const isEncryptedWith = ({ name }: EncryptionKey, text: string): boolean => text.startsWith(`${PREFIX}${name}:`)

/** `place` is authenticated: a text that is moved to another object cannot be decrypted. */
export function encryptText(key: EncryptionKey, place: string, text: string, random: Random): string {
  const nonce = random.bytes(NONCE_BYTES)
  const cipher = createCipheriv('aes-256-gcm', key.bytes, nonce)
  cipher.setAAD(Buffer.from(place))
  const sealed = Buffer.concat([nonce, cipher.update(text, 'utf8'), cipher.final(), cipher.getAuthTag()])
  return `${PREFIX}${key.name}:${sealed.toString('base64')}`
}

export function decryptText(
  { path, keys }: Pick<EncryptionKeys, 'path' | 'keys'>,
  place: string,
  text: string,
): string {
  const end = text.indexOf(':', PREFIX.length)
  const name = text.slice(PREFIX.length, end)
  const key = keys.find((each) => each.name === name)
  if (!key)
    throw new Error(
      `${place} is encrypted with the key ${JSON.stringify(name)}, which ${path} does not have: restore that file from a backup`,
    )
  const sealed = Buffer.from(text.slice(end + 1), 'base64')
  try {
    const decipher = createDecipheriv('aes-256-gcm', key.bytes, sealed.subarray(0, NONCE_BYTES))
    decipher.setAAD(Buffer.from(place))
    decipher.setAuthTag(sealed.subarray(-TAG_BYTES))
    const opened = decipher.update(sealed.subarray(NONCE_BYTES, -TAG_BYTES))
    return Buffer.concat([opened, decipher.final()]).toString('utf8')
  } catch (cause) {
    throw new Error(
      `${place} cannot be decrypted with the key ${JSON.stringify(name)} of ${path}: it is not the key that encrypted it, or the object was changed. Restore the data directory and its keys from the same backup`,
      { cause },
    )
  }
}
