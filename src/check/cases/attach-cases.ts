import { formatMap } from '../format-map.ts'
import type { Case } from '../case.ts'
import type { CaseContext, CheckedNode } from '../case-context.ts'
import { allVolumes } from '../list-all.ts'
import { attach, attachRequest, createVolume, detach } from '../volume-steps.ts'
import { errorRow, NO_SUCH_OBJECT } from './clauses.ts'

const IDEMPOTENT =
  'This operation MUST be idempotent. If the volume corresponding to the `volume_id` has already been published at the node corresponding to the `node_id`, and is compatible with the specified `volume_capability` and `readonly` flag, the Plugin MUST reply `0 OK`.'
const DETACHED =
  'This operation MUST be idempotent. If the volume corresponding to the `volume_id` is not attached to the node corresponding to the `node_id`, the Plugin MUST reply `0 OK`.'
const NEEDS = ['controller:CREATE_DELETE_VOLUME', 'controller:PUBLISH_UNPUBLISH_VOLUME', 'node'] as const
const SECTION = 'ControllerPublishVolume'
const MOST_ATTACHED = 32n

const secondOf = (check: CaseContext): CheckedNode => {
  const [, second] = check.nodes
  return second ?? check.skip('it needs a second node')
}

export const ATTACH_CASES: readonly Case[] = [
  {
    id: 'attach/repeat',
    title: 'ControllerPublishVolume succeeds again for the same node',
    clause: IDEMPOTENT,
    section: SECTION,
    needs: NEEDS,
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      await attach(check, volume, check.node)
      await attach(check, volume, check.node)
    },
  },
  {
    id: 'attach/same-context',
    title: 'a repeated ControllerPublishVolume returns the same publish_context',
    clause: 'The contents of this field SHALL NOT be mutable.',
    section: SECTION,
    needs: NEEDS,
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      const first = formatMap(await attach(check, volume, check.node))
      const again = formatMap(await attach(check, volume, check.node))
      check.expect(first === again, `publish_context ${first}`, again)
    },
  },
  {
    id: 'attach/unknown-volume',
    title: 'a volume that does not exist is refused with NOT_FOUND',
    clause: errorRow('Volume does not exist | 5 NOT_FOUND'),
    section: SECTION,
    needs: NEEDS,
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      const request = { ...attachRequest(volume, check.node), volumeId: check.absentId() }
      await check.refuses('ControllerPublishVolume of a missing volume', NO_SUCH_OBJECT, () =>
        check.driver.controllerPublishVolume(request),
      )
    },
  },
  {
    id: 'attach/unknown-node',
    title: 'a node that does not exist is refused with NOT_FOUND',
    clause: errorRow('Node does not exist | 5 NOT_FOUND'),
    section: SECTION,
    needs: NEEDS,
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      const request = { ...attachRequest(volume, check.node), nodeId: check.absentId() }
      await check.refuses('ControllerPublishVolume to a missing node', NO_SUCH_OBJECT, () =>
        check.driver.controllerPublishVolume(request),
      )
    },
  },
  {
    id: 'attach/other-readonly',
    title: 'an attached volume with another readonly flag is refused with ALREADY_EXISTS',
    clause: errorRow('Volume published but is incompatible | 6 ALREADY_EXISTS'),
    section: SECTION,
    needs: [...NEEDS, 'controller:PUBLISH_READONLY'],
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      await attach(check, volume, check.node)
      await check.refuses('ControllerPublishVolume with another readonly flag', ['ALREADY_EXISTS'], () =>
        check.driver.controllerPublishVolume(attachRequest(volume, check.node, true)),
      )
    },
  },
  {
    id: 'attach/second-node',
    title: 'a volume for one node is refused for a second one with FAILED_PRECONDITION',
    clause: errorRow('Volume published to another node | 9 FAILED_PRECONDITION'),
    section: SECTION,
    needs: [...NEEDS, 'two nodes'],
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      await attach(check, volume, check.node)
      await check.refuses('ControllerPublishVolume to a second node', ['FAILED_PRECONDITION'], () =>
        check.driver.controllerPublishVolume(attachRequest(volume, secondOf(check))),
      )
    },
  },
  {
    id: 'attach/moves',
    title: 'a detached volume can be attached to another node',
    clause:
      'This RPC is a reverse operation of `ControllerPublishVolume`. … Controller Plugin MUST implement this RPC call if it has `PUBLISH_UNPUBLISH_VOLUME` controller capability.',
    section: 'ControllerUnpublishVolume',
    needs: [...NEEDS, 'two nodes'],
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      await attach(check, volume, check.node)
      await detach(check, volume, check.node)
      await attach(check, volume, secondOf(check))
    },
  },
  {
    id: 'attach/limit',
    title: 'the node refuses more volumes than max_volumes_per_node with RESOURCE_EXHAUSTED',
    clause: errorRow('Max volumes attached | 8 RESOURCE_EXHAUSTED'),
    section: SECTION,
    needs: NEEDS,
    volumes: Number(MOST_ATTACHED) + 1,
    alone: true,
    run: async (check) => {
      const limit = check.node.features.maxVolumes
      if (limit === 0n) check.skip('the driver sets no limit for the node')
      if (limit > MOST_ATTACHED) check.skip(`the limit is ${limit}: it would take too many volumes`)
      for (let number = 0n; number <= limit; number++) {
        const volume = await createVolume(check, String(number))
        const reply = await check.mayRefuse('ControllerPublishVolume', ['RESOURCE_EXHAUSTED'], () =>
          check.driver.controllerPublishVolume(attachRequest(volume, check.node)),
        )
        if (!reply) return
      }
      check.expect(false, `volume ${limit + 1n} is refused with RESOURCE_EXHAUSTED`, 'OK')
    },
  },
  {
    id: 'attach/listed',
    title: 'ListVolumes shows the node to which a volume is attached',
    clause:
      'A list of all `node_id` of nodes that the volume in this entry is controller published on. … This field MUST be specified if the LIST_VOLUMES_PUBLISHED_NODES controller capability is supported.',
    section: 'ListVolumes',
    needs: [...NEEDS, 'controller:LIST_VOLUMES', 'controller:LIST_VOLUMES_PUBLISHED_NODES'],
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      await attach(check, volume, check.node)
      const entry = (await allVolumes(check.driver)).find((one) => one.volume?.volumeId === volume.volumeId)
      const ids = entry?.status?.publishedNodeIds ?? []
      check.expect(
        ids.includes(check.node.features.id),
        `published_node_ids with ${check.node.features.id}`,
        `[${ids.join()}]`,
      )
    },
  },
  {
    id: 'detach/repeat',
    title: 'ControllerUnpublishVolume succeeds again for a detached volume',
    clause: DETACHED,
    section: 'ControllerUnpublishVolume',
    needs: NEEDS,
    volumes: 1,
    run: async (check) => {
      const volume = await createVolume(check, 'a')
      await attach(check, volume, check.node)
      await detach(check, volume, check.node)
      await detach(check, volume, check.node)
    },
  },
  {
    id: 'detach/never-attached',
    title: 'ControllerUnpublishVolume succeeds for a volume that was never attached',
    clause: DETACHED,
    section: 'ControllerUnpublishVolume',
    needs: NEEDS,
    volumes: 1,
    run: async (check) => detach(check, await createVolume(check, 'a'), check.node),
  },
]
