import type { DriverPolicy } from './driver-policy.ts'

export type PodFacts = {
  readonly name: string
  readonly namespace: string
  readonly uid: string
  readonly serviceAccountName: string
  /** The volume is in-line, and not a PersistentVolume. */
  readonly ephemeral: boolean
}

/** The pod data in `NodePublishVolume`. It replaces attributes of the volume with the same keys. */
export function podInfoAttributes({ podInfo }: Pick<DriverPolicy, 'podInfo'>, pod: PodFacts): Record<string, string> {
  const attributes: Record<string, string> = {}
  for (const prefix of podInfo) {
    attributes[`${prefix}/pod.name`] = pod.name
    attributes[`${prefix}/pod.namespace`] = pod.namespace
    attributes[`${prefix}/pod.uid`] = pod.uid
    attributes[`${prefix}/serviceAccount.name`] = pod.serviceAccountName
    // The alpha API has four keys; this one was added later.
    if (prefix === 'csi.storage.k8s.io') attributes[`${prefix}/ephemeral`] = String(pod.ephemeral)
  }
  return attributes
}
