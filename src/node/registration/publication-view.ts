import type { CSINode } from '../../api/kinds/csi-node.ts'
import type { Node } from '../../api/kinds/node.ts'
import type { CSINodeInfo } from '../../compat/alpha-csi-node-info.ts'
import type { NodeFacts } from './node-facts.ts'
import type { OwnObject } from './wanted-drivers.ts'

/** What to publish about the drivers of a node. Undefined facts: nothing any more. Other drivers are left alone. */
export type WantedDrivers = ReadonlyMap<string, NodeFacts | undefined>

export type PublicationView = {
  readonly node: Node
  readonly csiNode: CSINode | undefined
  readonly csiNodeInfo?: CSINodeInfo | undefined
  readonly wanted: WantedDrivers
  /** Drivers whose facts were all there once. Labels that others changed since then are left alone. */
  readonly published: ReadonlySet<string>
  /** A driver may change the value of a label that it wrote last. */
  readonly overwriteOwnLabels: boolean
}

/** The objects that bear the name of a Node, once they were read. A node may read its own, but not watch them. */
export type PublicationReads = { readonly csiNode: OwnObject<CSINode>; readonly csiNodeInfo: OwnObject<CSINodeInfo> }

export type PublicationPassView = Omit<PublicationView, 'node' | keyof PublicationReads> & {
  readonly nodeName: string
  readonly node: Node | undefined
  /** Of the Node for which the drivers were published. */
  readonly uid: string | undefined
  readonly reads: Partial<PublicationReads>
  /** A driver does not count as published yet. */
  readonly hasPending: boolean
  /** A driver is to be forgotten once nothing about it is published any more. */
  readonly hasWithdrawn: boolean
  readonly recheckInMs: number
}

/** The drivers that are to be there, by name. */
export const presentDrivers = (wanted: WantedDrivers): readonly (readonly [string, NodeFacts])[] =>
  [...wanted].flatMap(([name, facts]) => (facts ? [[name, facts] as const] : []))
