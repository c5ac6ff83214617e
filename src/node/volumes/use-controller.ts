import { isEqualJson } from '../../api/equal-json.ts'
import { NODES } from '../../api/kinds/node.ts'
import type { Node } from '../../api/kinds/node.ts'
import { atStart, defineController, on } from '../../kube/controller/index.ts'
import { PODS_KNOWN, REASONS, wait } from './reasons.ts'
import type { VolumeWait } from './reasons.ts'
import type { VolumeContext } from './volume-context.ts'

type UseView = { readonly node: Node | undefined; readonly wanted: readonly string[] }
type UseStep = VolumeWait | { readonly kind: 'report-use'; readonly node: Node; readonly wanted: readonly string[] }

const BACKOFF = { initialMs: 50, maximumMs: 10_000 }

/** Keeps `volumesInUse` of the node's status: volumes that are listed there are not detached. */
export function defineUseController(context: VolumeContext, leftovers: readonly string[]) {
  const { api, table, nodes, nodeName, findNode, policyOf, isReady } = context
  const wantedNow = (node: Node | undefined): string[] => {
    const byDriver = Map.groupBy(table.devices.values(), ({ driver }) => driver)
    const attached = [...byDriver].flatMap(([driver, devices]) => (policyOf(driver).attach ? devices : []))
    // Names are only added until it is known what the pods of the node want.
    const kept = isReady() ? [] : (node?.status?.volumesInUse ?? [])
    return [...new Set([...attached.map(({ uniqueName }) => uniqueName), ...leftovers, ...kept])].sort()
  }
  return defineController<UseView, UseStep>({
    name: 'node-volumes-in-use',
    queue: context.createQueue({ name: 'node-volumes-in-use', lanes: { default: 1 }, backoff: BACKOFF }),
    watch: [
      atStart(nodeName),
      on(nodes, () => nodeName),
      on(table, ({ device }) => device && nodeName),
      on(context.driverChanges, () => nodeName),
    ],
    view: () => {
      const node = findNode()
      return { node, wanted: wantedNow(node) }
    },
    decide: ({ node, wanted }) => {
      if (!node) return wait(REASONS.NodeMissing)
      if (isEqualJson([...wanted], [...(node.status?.volumesInUse ?? [])]))
        return wait(REASONS.UseReported, { wakeOn: [PODS_KNOWN] })
      return { kind: 'report-use', node, wanted }
    },
    perform: {
      'report-use': async ({ node, wanted }) => {
        const value = { metadata: { uid: node.metadata.uid }, status: { volumesInUse: wanted } }
        await api.patch(NODES, { name: nodeName }, { type: 'merge', value }, { subresource: 'status' })
      },
    },
  })
}
