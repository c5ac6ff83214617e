import { deepEqual } from 'node:assert/strict'
import { readdir } from 'node:fs/promises'
import { join } from 'node:path'
import { test } from 'node:test'
import { PERSISTENT_VOLUME_CLAIMS } from '../api/kinds/persistent-volume-claim.ts'
import { PODS } from '../api/kinds/pod.ts'
import { createClaim, createPod, NAMESPACE } from './testing/describe-cluster.ts'
import { mountsBelow, openClusterDirectory, startUp } from './testing/describe-up.ts'
import type { Seen } from './testing/describe-up.ts'

const NAME = { namespace: NAMESPACE, name: 'web' }

const POINTS: readonly [point: string, hasCome: (now: Seen) => boolean][] = [
  ['at once', () => true],
  ['when its volume is made', ({ volumes }) => volumes.length > 0],
  ['when it has a node', ({ pods }) => pods.some(({ spec }) => spec.nodeName !== undefined)],
  ['when its volume is about to be attached', ({ attachments }) => attachments.length > 0],
  ['when its volume is attached', ({ attachments }) => attachments.some(({ status }) => status?.attached === true)],
  ['when it runs', ({ pods }) => pods.some(({ status }) => status?.phase === 'Running')],
]

test(
  'S3-65, S3-109, S3-120: a pod that is deleted with its claim on the way to its volume leaves nothing',
  { timeout: 120_000 },
  async (context) => {
    const directory = await openClusterDirectory(context)
    const { api, until } = await startUp(directory)
    for (const [point, hasCome] of POINTS) {
      // More than once: where exactly it is caught differs.
      for (let round = 1; round <= 3; round++) {
        await context.test(`${point}, ${round}`, { timeout: 20_000 }, async () => {
          await createClaim(api, 'web')
          await createPod(api, 'web', 'web')
          await until(hasCome)
          await api.delete(PERSISTENT_VOLUME_CLAIMS, NAME)
          await api.delete(PODS, NAME)
          await until(
            ({ claims, volumes, pods, attachments }) =>
              claims.length + volumes.length + pods.length + attachments.length === 0,
          )
          deepEqual([await mountsBelow(directory), await readdir(join(directory, 'node-1/pods'))], [[], []])
        })
      }
    }
  },
)
