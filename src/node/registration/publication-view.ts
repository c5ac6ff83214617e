import type { CSINode } from '../../api/kinds/csi-node.ts'
import type { Node } from '../../api/kinds/node.ts'
import type { CSINodeInfo } from '../../compat/alpha-csi-node-info.ts'
import type { NodeFacts } from './node-facts.ts'

/** What is to be said of the drivers of a node. Undefined facts: nothing any more. Drivers that are not in it are left alone. */
export type WantedDrivers = ReadonlyMap<string, NodeFacts | undefined>

export type PublicationView = {
  readonly seen: {
    readonly node: Node
    readonly csiNode: CSINode | undefined
    readonly csiNodeInfo?: CSINodeInfo | undefined
  }
  /** Undefined when asked from outside. */
  readonly held?: {
    readonly wanted: WantedDrivers
    /** Drivers whose facts were all there once: labels that somebody changed since are not our affair any more. */
    readonly published: ReadonlySet<string>
    /** A driver may change the value of a label that it wrote last. */
    readonly overwriteOwnLabels: boolean
  }
}

/** The drivers that are to be there, by name. */
export const presentDrivers = (wanted: WantedDrivers): readonly (readonly [string, NodeFacts])[] =>
  [...wanted].flatMap(([name, facts]) => (facts ? [[name, facts] as const] : []))
