import type { RequirementMutation } from './requirement-mutation.ts'

export const S0_MUTATIONS: readonly RequirementMutation[] = [
  {
    id: 'S0-7',
    file: 'src/node/volumes/volume-requests.ts',
    text: "name: metadata.name ?? '',",
    replacement: "name: 'web',",
    test: 'src/node/volumes/pod-identity.test.ts',
  },
  {
    id: 'S0-8',
    file: 'src/node/volumes/volume-requests.ts',
    text: "namespace: metadata.namespace ?? '',",
    replacement: "namespace: 'default',",
    test: 'src/node/volumes/pod-identity.test.ts',
  },
  {
    id: 'S0-9',
    file: 'src/node/volumes/volume-requests.ts',
    text: "uid: metadata.uid ?? '',",
    replacement: "uid: metadata.name ?? '',",
    test: 'src/node/volumes/pod-identity.test.ts',
  },
  {
    id: 'S0-10',
    file: 'src/node/volumes/volume-requests.ts',
    text: "serviceAccountName: spec.serviceAccountName ?? '',",
    replacement: "serviceAccountName: 'default',",
    test: 'src/node/volumes/pod-identity.test.ts',
  },
  {
    id: 'S0-12',
    file: 'src/node/volumes/volume-requests.ts',
    text: '{ ...withoutReservedAttributes(volumeAttributes), ...podInfo }',
    replacement: '{ ...podInfo, ...withoutReservedAttributes(volumeAttributes) }',
    test: 'src/node/volumes/pod-identity.test.ts',
  },
  {
    id: 'S0-30',
    file: 'examples/driver-deployment/node.yaml',
    text: '            - node-driver-registrar\n',
    replacement: '            - livenessprobe\n',
    test: 'examples/driver-deployment/deployment.test.ts',
  },
  {
    id: 'S0-35',
    file: 'src/node/registration/ask-registrar.ts',
    text: 'const info = await registrar.getInfo(signal)',
    replacement: 'await registrar.getWishes(signal)\n  const info = await registrar.getInfo(signal)',
    test: 'src/node/registration/order.test.ts',
  },
  {
    id: 'S0-38',
    file: 'examples/driver-deployment/csidriver.yaml',
    text: 'podInfoOnMount: true',
    replacement: 'podInfoOnMount: false',
    test: 'examples/driver-deployment/deployment.test.ts',
  },
  {
    id: 'S0-38',
    file: 'examples/pod-info.yaml',
    text: 'podInfoOnMount: true',
    replacement: 'podInfoOnMount: false',
    test: 'examples/manifests.test.ts',
  },
]
