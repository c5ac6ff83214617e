import { HostError } from '../../base/host/index.ts'
import type { FileKind, Host } from '../../base/host/index.ts'
import { findMount } from './mount-points.ts'

/** What is at the target of a volume after NodePublishVolume has returned OK. */
export type PublishedTarget = {
  readonly kind: FileKind | undefined
  /** Undefined if the mount table cannot be read. */
  readonly isMounted: boolean | undefined
}

export type PublishedVolume = { readonly isBlock: boolean; readonly isEphemeral: boolean }

/**
 * Says what is wrong if nothing was published, and undefined otherwise. Accepted besides mounts: a link, which drivers without the right to mount
 * use; a device for a block volume; and a plain directory for an inline volume, because such drivers may write their files into the target itself.
 * For a persistent volume a plain directory is a failure: what the pod writes would go to the disk of the node and not to the volume.
 */
export function findUnpublished(
  { kind, isMounted }: PublishedTarget,
  { isBlock, isEphemeral }: PublishedVolume,
): string | undefined {
  if (kind === undefined) return 'the path does not exist'
  if (isMounted !== false || kind === 'symlink') return undefined
  if (isBlock) return kind === 'block-device' ? undefined : `the path is a ${kind}, not a device`
  if (kind !== 'directory') return `the path is a ${kind}`
  return isEphemeral ? undefined : 'the path is a plain directory on the disk of the node'
}

/** Reads what is at a target. */
export async function readTarget(host: Pick<Host, 'files' | 'mounts'>, path: string): Promise<PublishedTarget> {
  const stat = await host.files.findStat(path)
  if (!stat) return { kind: undefined, isMounted: undefined }
  try {
    return { kind: stat.kind, isMounted: (await findMount(host, path)) !== undefined }
  } catch (error) {
    if (!(error instanceof HostError)) throw error
    return { kind: stat.kind, isMounted: undefined }
  }
}
