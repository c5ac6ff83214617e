import { PERSISTENT_VOLUMES } from '../../api/kinds/persistent-volume.ts'
import type { PersistentVolume } from '../../api/kinds/persistent-volume.ts'
import { MIRROR_POD_ANNOTATION, PODS } from '../../api/kinds/pod.ts'
import type { Pod } from '../../api/kinds/pod.ts'
import type { Change, StateView } from '../core/stored-object.ts'
import { findNodeSecrets, findPodReferences } from './pod-references.ts'
import { storageOf } from '../core/stored-object.ts'

/** Kinds that a node may read because a pod on it needs them. */
export type RelatedKind = 'secret' | 'configMap' | 'serviceAccount' | 'claim' | 'volume'

/** The objects that the pods of a node need: their secrets, claims and so on, the volumes of those claims, and the secrets of those volumes. */
export interface NodeGraph {
  isRelated(nodeName: string, kind: RelatedKind, namespace: string, name: string): boolean
  /** Must be called for every change that becomes visible, in order. */
  onChange(change: Change): void
}

// Counts for each node the ways in which it is reached, so that a check is one lookup, however many pods share an object.
type Vertex = { readonly id: string; readonly nodes: NodeCounts; leadsTo: Vertex[]; incoming: number }
type PodEdges = {
  readonly nodeName: string
  readonly uid: string | undefined
  readonly ephemeral: number
  readonly vertices: readonly Vertex[]
}
type VolumeEdges = { readonly claim: Vertex; readonly volume: Vertex; readonly secrets: readonly Vertex[] }

/** Built from the current state; then `onChange` keeps it up to date. */
export function createNodeGraph(view: StateView): NodeGraph {
  const vertices = new Map<string, Vertex>()
  const pods = new Map<string, PodEdges>()
  const volumes = new Map<string, VolumeEdges>()

  const vertexOf = (kind: RelatedKind, namespace: string, name: string): Vertex => {
    const id = vertexId(kind, namespace, name)
    let vertex = vertices.get(id)
    if (!vertex) vertices.set(id, (vertex = { id, nodes: new NodeCounts(), leadsTo: [], incoming: 0 }))
    return vertex
  }
  const forgetUnused = (vertex: Vertex): void => {
    if (vertex.nodes.isEmpty() && vertex.leadsTo.length === 0 && vertex.incoming === 0) vertices.delete(vertex.id)
  }

  const gain = (vertex: Vertex, nodeName: string): void => {
    if (vertex.nodes.add(nodeName)) for (const next of vertex.leadsTo) gain(next, nodeName)
  }
  const lose = (vertex: Vertex, nodeName: string): void => {
    if (!vertex.nodes.remove(nodeName)) return
    for (const next of vertex.leadsTo) lose(next, nodeName)
    forgetUnused(vertex)
  }
  const link = (from: Vertex, to: Vertex): void => {
    from.leadsTo.push(to)
    to.incoming++
    for (const nodeName of from.nodes.names()) gain(to, nodeName)
  }
  const unlink = (from: Vertex, to: Vertex): void => {
    const index = from.leadsTo.indexOf(to)
    from.leadsTo = from.leadsTo.toSpliced(index, 1)
    to.incoming--
    for (const nodeName of from.nodes.names()) lose(to, nodeName)
    forgetUnused(to)
    forgetUnused(from)
  }

  const setPod = (key: string, pod: Pod | undefined): void => {
    const known = pods.get(key)
    if (known && pod && isSamePod(known, pod)) return
    // The new edges first: shared ones must not be dropped in between.
    const edges = pod && podEdges(pod)
    for (const vertex of edges?.vertices ?? []) gain(vertex, edges?.nodeName ?? '')
    for (const vertex of known?.vertices ?? []) lose(vertex, known?.nodeName ?? '')
    if (edges) pods.set(key, edges)
    else pods.delete(key)
  }
  const podEdges = (pod: Pod): PodEdges | undefined => {
    const { nodeName, ephemeralContainers = [] } = pod.spec
    if (!nodeName) return undefined
    const { uid, namespace = '', annotations = {} } = pod.metadata
    const isMirror = Object.hasOwn(annotations, MIRROR_POD_ANNOTATION)
    return {
      nodeName,
      uid,
      ephemeral: ephemeralContainers.length,
      vertices: isMirror ? [] : podVertices(namespace, pod),
    }
  }
  const podVertices = (namespace: string, pod: Pod): Vertex[] => {
    const { serviceAccount, secrets, configMaps, claims } = findPodReferences(pod)
    return [
      ...(serviceAccount === undefined ? [] : [vertexOf('serviceAccount', namespace, serviceAccount)]),
      ...Array.from(secrets, (name) => vertexOf('secret', namespace, name)),
      ...Array.from(configMaps, (name) => vertexOf('configMap', namespace, name)),
      ...Array.from(claims, (name) => vertexOf('claim', namespace, name)),
    ]
  }

  const setVolume = (name: string, volume: PersistentVolume | undefined): void => {
    const known = volumes.get(name)
    const edges = volume && volumeEdges(name, volume)
    if (known && edges && isSameVolume(known, edges)) return
    // The new edges first, here too. A shared link then exists twice, and one of the two is removed.
    if (edges) {
      link(edges.claim, edges.volume)
      for (const secret of edges.secrets) link(edges.volume, secret)
      volumes.set(name, edges)
    }
    if (!known) return
    for (const secret of known.secrets) unlink(known.volume, secret)
    unlink(known.claim, known.volume)
    if (!edges) volumes.delete(name)
  }
  const volumeEdges = (name: string, volume: PersistentVolume): VolumeEdges | undefined => {
    const { claimRef } = volume.spec
    if (!claimRef) return undefined
    return {
      claim: vertexOf('claim', claimRef.namespace ?? '', claimRef.name ?? ''),
      volume: vertexOf('volume', '', name),
      secrets: findNodeSecrets(volume).map((secret) => vertexOf('secret', secret.namespace, secret.name)),
    }
  }

  const apply = (storage: string, key: string, object: object | undefined): void => {
    if (storage === storageOf(PODS)) setPod(key, object as Pod | undefined)
    else if (storage === storageOf(PERSISTENT_VOLUMES)) setVolume(key, object as PersistentVolume | undefined)
  }
  for (const storage of [storageOf(PODS), storageOf(PERSISTENT_VOLUMES)]) {
    for (const { key, object } of view.list(storage)) apply(storage, key, object)
  }

  return {
    isRelated: (nodeName, kind, namespace, name) =>
      vertices.get(vertexId(kind, namespace, name))?.nodes.has(nodeName) ?? false,
    onChange: ({ storage, key, type, after }) => apply(storage, key, type === 'put' ? after.object : undefined),
  }
}

const vertexId = (kind: RelatedKind, namespace: string, name: string): string => `${kind} ${namespace}/${name}`

// The references of a pod are fixed once it has a node, except for ephemeral containers.
const isSamePod = ({ nodeName, uid, ephemeral }: PodEdges, { metadata, spec }: Pod): boolean =>
  spec.nodeName === nodeName && metadata.uid === uid && (spec.ephemeralContainers?.length ?? 0) === ephemeral

const isSameVolume = (known: VolumeEdges, edges: VolumeEdges): boolean =>
  known.claim === edges.claim &&
  known.secrets.length === edges.secrets.length &&
  known.secrets.every((secret, index) => secret === edges.secrets[index])

/** How often each node was added. It is nearly always one node: a map for each of thousands of volumes would be most of the graph. */
class NodeCounts {
  #name: string | undefined
  #ways = 0
  #others: Map<string, number> | undefined

  /** True if the node was not there before. */
  add(name: string): boolean {
    const ways = this.#others?.get(name) ?? 0
    if (ways === 0) this.#name ??= name
    if (this.#name === name) return this.#ways++ === 0
    this.#others ??= new Map()
    this.#others.set(name, ways + 1)
    return ways === 0
  }

  /** True if the node is no longer there. */
  remove(name: string): boolean {
    if (this.#name === name) {
      if (--this.#ways > 0) return false
      // Free for the next one.
      this.#name = undefined
      return true
    }
    const ways = this.#others?.get(name) ?? 0
    if (ways > 1) this.#others?.set(name, ways - 1)
    else this.#others?.delete(name)
    return ways === 1
  }

  has(name: string): boolean {
    return this.#name === name || (this.#others?.has(name) ?? false)
  }

  names(): string[] {
    return [...(this.#name === undefined ? [] : [this.#name]), ...(this.#others?.keys() ?? [])]
  }

  isEmpty(): boolean {
    return this.#name === undefined && !this.#others?.size
  }
}
