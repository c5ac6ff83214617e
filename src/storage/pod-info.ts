import type { DriverPolicy } from './driver-policy.ts'

export type PodFacts = {
  readonly name: string
  readonly namespace: string
  readonly uid: string
  readonly serviceAccountName: string
  /** The volume is the pod's own, and not a PersistentVolume. */
  readonly ephemeral: boolean
}

/** Pod data as `NodePublishVolume` carries them. They take the place of what the volume itself has under these keys. */
export function podInfoAttributes({ podInfo }: Pick<DriverPolicy, 'podInfo'>, pod: PodFacts): Record<string, string> {
  const attributes: Record<string, string> = {}
  for (const prefix of podInfo) {
    attributes[`${prefix}/pod.name`] = pod.name
    attributes[`${prefix}/pod.namespace`] = pod.namespace
    attributes[`${prefix}/pod.uid`] = pod.uid
    attributes[`${prefix}/serviceAccount.name`] = pod.serviceAccountName
    // The document has four facts; this one came later.
    if (prefix === 'csi.storage.k8s.io') attributes[`${prefix}/ephemeral`] = String(pod.ephemeral)
  }
  return attributes
}
