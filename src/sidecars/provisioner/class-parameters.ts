import type { PersistentVolumeClaim } from '../../api/kinds/persistent-volume-claim.ts'
import { ok, refuse } from './decision.ts'
import type { Decision } from './decision.ts'
import { RESERVED_PREFIX } from './reserved-keys.ts'
import { RESERVED_SECRET_KEYS } from './resolve-secret-ref.ts'

type Parameters = Readonly<Record<string, string>>

const FS_TYPE = `${RESERVED_PREFIX}fstype`
const OLD_FS_TYPE = 'fstype'
const KNOWN: ReadonlySet<string> = new Set([FS_TYPE, ...RESERVED_SECRET_KEYS])

/**
 * What the driver gets to see of a class's parameters: all but the reserved ones. The old spellings of secrets and file system are passed
 * on, since drivers have always seen them. An unknown reserved key is refused: it may be meant for a newer provisioner.
 */
export function driverParameters(parameters: Parameters): Decision<Parameters> {
  const entries = Object.entries(parameters)
  const unknown = entries.map(([key]) => key).find((key) => key.startsWith(RESERVED_PREFIX) && !KNOWN.has(key))
  if (unknown !== undefined)
    return refuse({
      code: 'ParameterUnknown',
      detail: { key: unknown },
      cure: 'Correct or remove the key in the StorageClass.',
    })
  return ok(Object.fromEntries(entries.filter(([key]) => !key.startsWith(RESERVED_PREFIX))))
}

/** Added to the parameters when drivers are to know for whom a volume is made. */
export function claimMetadata(claim: PersistentVolumeClaim, volumeName: string): Parameters {
  const { name = '', namespace = '' } = claim.metadata
  return {
    [`${RESERVED_PREFIX}pvc/name`]: name,
    [`${RESERVED_PREFIX}pvc/namespace`]: namespace,
    [`${RESERVED_PREFIX}pv/name`]: volumeName,
  }
}

/** The file system of a class; the default where it names none or an empty one, which may be empty too. */
export function fsTypeOf(parameters: Parameters, defaultFsType: string): Decision<string> {
  const keys = Object.keys(parameters).filter((key) => key === FS_TYPE || key.toLowerCase() === OLD_FS_TYPE)
  if (keys.length > 1)
    return refuse({ code: 'FileSystemNamedTwice', detail: { keys: keys.join(' ') }, cure: `Keep only ${FS_TYPE}.` })
  const [key] = keys
  return ok((key === undefined ? '' : parameters[key]) || defaultFsType)
}
