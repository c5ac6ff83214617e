import { deepEqual } from 'node:assert/strict'
import { test } from 'node:test'
import { NAMESPACES } from '../../api/kinds/namespace.ts'
import { attachmentName } from '../../storage/attachment-name.ts'
import { POD_HANDLES_ANNOTATION } from '../../compat/mirror-csi-driver.ts'
import { createDriver, createPod, DRIVER, findAttachment, startUnderTest } from './testing/describe-attach-detach.ts'

const TEAMS = ['team-red', 'team-blue', 'team-green']

for (const [way, namesOf] of [
  ['fields', { controllerPublishSecretRef: { name: 'publish' }, nodeStageSecretRef: { name: 'stage' } }],
  [
    'reserved attributes',
    {
      volumeAttributes: {
        'csi.kubernetes.io/inline.controllerPublishSecretName': 'publish',
        'csi.kubernetes.io/inline.nodeStageSecretName': 'stage',
      },
    },
  ],
] as const) {
  test(`S2-13, H41: the attachments of in-line volumes of several namespaces name the secrets of their own (by ${way})`, async (context) => {
    const { api, settled } = await startUnderTest(context)
    await createDriver(api, { volumeLifecycleModes: ['Ephemeral'] }, { [POD_HANDLES_ANNOTATION]: 'true' })
    for (const namespace of TEAMS) {
      await api.create(NAMESPACES, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } })
      await createPod(api, 'web', {
        namespace,
        node: 'node-1',
        volumes: [
          {
            name: 'data',
            csi: {
              driver: DRIVER,
              volumeHandle: `of-${namespace}`,
              nodePublishSecretRef: { name: 'mount' },
              ...namesOf,
            },
          },
        ],
      })
    }
    await settled()
    for (const namespace of TEAMS) {
      const attachment = await findAttachment(
        api,
        attachmentName({ driver: DRIVER, volumeHandle: `of-${namespace}`, nodeName: 'node-1' }),
      )
      const { controllerPublishSecretRef, nodeStageSecretRef, nodePublishSecretRef } =
        attachment?.spec.source.inlineVolumeSpec?.csi ?? {}
      deepEqual(
        [controllerPublishSecretRef, nodeStageSecretRef, nodePublishSecretRef],
        ['publish', 'stage', 'mount'].map((name) => ({ name, namespace })),
      )
    }
  })
}
