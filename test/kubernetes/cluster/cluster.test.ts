import { deepEqual, doesNotMatch, match } from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { PERSISTENT_VOLUME_CLAIMS } from '../../../src/api/kinds/persistent-volume-claim.ts'
import { PERSISTENT_VOLUMES } from '../../../src/api/kinds/persistent-volume.ts'
import { STORAGE_CLASSES } from '../../../src/api/kinds/storage-class.ts'
import type { StorageClass } from '../../../src/api/kinds/storage-class.ts'
import { VOLUME_ATTACHMENTS } from '../../../src/api/kinds/volume-attachment.ts'
import { missingForContainers } from './build-test-images.ts'
import { tellDeploymentStories } from './deployment-stories.ts'
import { tellDocStories } from './doc-stories.ts'
import { tellFailureStories } from './failure-stories.ts'
import { DRIVER, listEvents, openClusterStage } from './open-cluster-stage.ts'
import type { ClusterStage } from './open-cluster-stage.ts'
import { tellRolloverStories } from './rollover-stories.ts'
import { claimRef, untilVolumes } from './story-helpers.ts'
import { NAMESPACE } from './story-objects.ts'
import type { Tell } from './story-helpers.ts'
import { tellVariantStories } from './variant-stories.ts'
import { tellVolumeStories } from './volume-stories.ts'

const missing = missingForContainers()

describe('on Kubernetes with a kubelet', { skip: missing && `containers need ${missing}` }, () => {
  let stage: ClusterStage
  before(
    async () => {
      stage = await openClusterStage()
      for (const each of [
        classWith('shared'),
        classWith('late', { volumeBindingMode: 'WaitForFirstConsumer' }),
        classWith('secret', {
          parameters: {
            'csi.storage.k8s.io/provisioner-secret-name': 'backend',
            'csi.storage.k8s.io/provisioner-secret-namespace': NAMESPACE,
            'csi.storage.k8s.io/node-publish-secret-name': 'backend',
            'csi.storage.k8s.io/node-publish-secret-namespace': NAMESPACE,
          },
        }),
      ])
        await stage.api.create(STORAGE_CLASSES, each)
    },
    { timeout: 900_000 },
  )
  after(() => stage?.stop())

  const tell: Tell = (title, story, skip) =>
    void test(title, { timeout: 600_000, skip: skip ?? false }, async () => {
      try {
        await story(stage)
      } catch (error) {
        if (error instanceof Error) error.message += `\n\n${await listEvents(stage.api)}\n\n${stage.logs()}`
        throw error
      }
    })

  tellVolumeStories(tell)
  tellDeploymentStories(tell)
  tellFailureStories(tell)
  tellVariantStories(tell)
  tellDocStories(tell)
  tellRolloverStories(tell)

  tell('the permissions of the chart are enough: nothing was refused to the sidecars', async (stage) => {
    for (const container of ['csi-sidecar', 'snapshot-controller']) {
      const log = stage.containerLogs(stage.release.namespace, container)
      match(log, /"message":/, container)
      doesNotMatch(log, /forbidden/i)
    }
  })

  tell('at the end nothing is left: no volumes, no attachments, nothing in the backend', async (stage) => {
    const { items: claims } = await stage.api.list(PERSISTENT_VOLUME_CLAIMS)
    for (const { metadata } of claims) await stage.untilGone(...claimRef(metadata.name ?? ''))
    const { items: volumes } = await stage.api.list(PERSISTENT_VOLUMES)
    for (const { metadata } of volumes) await stage.untilGone(PERSISTENT_VOLUMES, { name: metadata.name ?? '' })
    deepEqual((await stage.api.list(VOLUME_ATTACHMENTS)).items, [])
    await untilVolumes(stage, (ids) => ids.length === 0)
  })
})

const classWith = (name: string, more: Partial<StorageClass> = {}): StorageClass => ({
  apiVersion: 'storage.k8s.io/v1',
  kind: 'StorageClass',
  metadata: { name },
  provisioner: DRIVER,
  allowVolumeExpansion: true,
  ...more,
})
