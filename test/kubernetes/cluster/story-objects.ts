import type {
  PersistentVolumeClaim,
  PersistentVolumeClaimSpec,
} from '../../../src/api/kinds/persistent-volume-claim.ts'
import type { Pod, PodSpec, Volume } from '../../../src/api/kinds/pod.ts'
import { BUSYBOX_IMAGE } from './build-test-images.ts'

/** Where the stories have their claims and pods. */
export const NAMESPACE = 'default'
export const named = (name: string) => ({ namespace: NAMESPACE, name })

export type PodParts = {
  /** The claim to mount at /data. */
  readonly claim?: string
  /** The claim to have as the device /dev/data. */
  readonly blockClaim?: string
  readonly volumes?: readonly Volume[]
  readonly spec?: Partial<PodSpec>
}

export const claimWith = (name: string, spec: Partial<PersistentVolumeClaimSpec>): PersistentVolumeClaim => ({
  apiVersion: 'v1',
  kind: 'PersistentVolumeClaim',
  metadata: named(name),
  spec: {
    accessModes: ['ReadWriteOnce'],
    storageClassName: 'shared',
    resources: { requests: { storage: '1Mi' } },
    ...spec,
  },
})

export function podWith(name: string, script: string, { claim, blockClaim, volumes = [], spec = {} }: PodParts): Pod {
  const claimName = claim ?? blockClaim
  const all = claimName === undefined ? volumes : [{ name: 'data', persistentVolumeClaim: { claimName } }, ...volumes]
  return {
    apiVersion: 'v1',
    kind: 'Pod',
    metadata: named(name),
    spec: {
      restartPolicy: 'Never',
      terminationGracePeriodSeconds: 1,
      containers: [
        {
          name: 'story',
          image: BUSYBOX_IMAGE,
          imagePullPolicy: 'Never',
          command: ['/bin/sh', '-c', script],
          terminationMessagePath: '/result',
          volumeMounts: all
            .filter(() => blockClaim === undefined)
            .map((volume) => ({ name: volume.name, mountPath: `/${volume.name}` })),
          ...(blockClaim === undefined ? {} : { volumeDevices: [{ name: 'data', devicePath: '/dev/data' }] }),
        },
      ],
      volumes: [...all],
      ...spec,
    },
  }
}
