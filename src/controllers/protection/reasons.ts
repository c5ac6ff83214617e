import type { Pod } from '../../api/kinds/pod.ts'
import type { Reason } from '../../api/reason.ts'

/** Why a claim or a volume keeps its protection. */
export const REASONS = {
  protected: { code: 'Protected' },
  notHeld: { code: 'NotHeld', cure: 'Whoever else has a finalizer on it has to remove it' },
  usedByPod: ({ metadata: { namespace = '', name = '' } }: Pod): Reason => ({
    code: 'UsedByPod',
    waitsFor: { kind: 'object', apiVersion: 'v1', kindName: 'Pod', namespace, name },
    cure: 'The claim goes once no pod with a node names it: delete the pod, also if it has ended',
  }),
  volumeBound: (claim: { namespace?: string; name?: string }): Reason => ({
    code: 'VolumeBound',
    waitsFor: {
      kind: 'object',
      apiVersion: 'v1',
      kindName: 'PersistentVolumeClaim',
      namespace: claim.namespace ?? '',
      name: claim.name ?? '',
    },
    cure: 'The volume goes once its claim is gone',
  }),
} as const satisfies Record<string, Reason | ((...args: never[]) => Reason)>
