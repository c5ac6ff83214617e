import type { ObjectAwaited, Reason } from '../../api/reason.ts'
import { parseKey } from '../../api/object-key.ts'

const claimRef = (key: string): ObjectAwaited => ({
  kind: 'object',
  apiVersion: 'v1',
  kindName: 'PersistentVolumeClaim',
  ...parseKey(key),
})
const nodeRef = (name: string): ObjectAwaited => ({ kind: 'object', apiVersion: 'v1', kindName: 'Node', name })

/** Why a pod is where it is on its way to a node. What keeps it off nodes is in `obstacles.ts`. */
export const REASONS = {
  placed: (node: string): Reason => ({ code: 'Placed', detail: { node } }),
  finished: { code: 'Finished' },
  leaving: { code: 'PodLeaving' },
  otherScheduler: (name: string): Reason => ({
    code: 'OtherScheduler',
    waitsFor: { kind: 'actor', name: `the scheduler ${name}` },
  }),
  gated: (gates: string): Reason => ({
    code: 'Gated',
    detail: { gates },
    cure: 'Whoever put the scheduling gates on the pod has to remove them',
  }),
  noNodes: { code: 'NoNodes', cure: 'Add a node' },
  unschedulable: (nodes: string): Reason => ({ code: 'Unschedulable', detail: { nodes } }),
  volumesPending: (claim: string, node: string): Reason => ({
    code: 'VolumesPending',
    waitsFor: claimRef(claim),
    detail: { node },
  }),
  refusedEverywhere: (claim: string): Reason => ({
    code: 'ProvisionerRefused',
    waitsFor: claimRef(claim),
    cure: 'The driver has no room for the volume where the pod may run: free some, or ask for less',
  }),
  nodeGone: (node: string): Reason => ({ code: 'NodeGone', waitsFor: nodeRef(node) }),
  provisionerRefused: (claim: string, node: string): Reason => ({
    code: 'ProvisionerRefused',
    waitsFor: claimRef(claim),
    detail: { node },
  }),
  volumeTaken: (claim: string, volume: string): Reason => ({
    code: 'VolumeTaken',
    waitsFor: claimRef(claim),
    detail: { volume },
  }),
  volumesTooSlow: (claim: string, node: string): Reason => ({
    code: 'VolumesTooSlow',
    waitsFor: claimRef(claim),
    detail: { node },
  }),
} as const
