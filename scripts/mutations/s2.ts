import type { RequirementMutation } from './requirement-mutation.ts'

export const S2_MUTATIONS: readonly RequirementMutation[] = [
  {
    id: 'S2-13',
    file: 'src/node/volumes/volume-requests.ts',
    text: '...(pod.metadata.namespace ? { namespace: pod.metadata.namespace } : {})',
    replacement: "namespace: 'default'",
    test: 'src/node/volumes/pod-identity.test.ts',
  },
]
