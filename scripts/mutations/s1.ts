import type { RequirementMutation } from './requirement-mutation.ts'

export const S1_MUTATIONS: readonly RequirementMutation[] = [
  {
    id: 'S1-3',
    file: 'src/cli/up.ts',
    text: 'if (options.bundledDriver) await ensureBundledDriver',
    replacement: 'if (false) await ensureBundledDriver',
    test: 'src/cluster/up.test.ts',
  },
  {
    id: 'S1-5',
    file: 'src/compat/choose-alpha-driver.ts',
    text: 'driverNamedBy(claim) === driver',
    replacement: 'driverNamedBy(claim) === driver && claim.metadata.name === driver',
    test: 'src/cluster/documents.test.ts',
  },
  {
    id: 'S1-7',
    file: 'src/compat/alpha-crds.ts',
    text: "listKind: 'CSIDriverList'",
    replacement: "listKind: 'CSIDrivers'",
    test: 'src/compat/alpha-crds.test.ts',
  },
  {
    id: 'S1-8',
    file: 'src/compat/alpha-crds.ts',
    text: "required: ['driver'],",
    replacement: 'required: [],',
    test: 'src/compat/alpha-crds.test.ts',
  },
  {
    id: 'S1-15',
    file: 'src/storage/pod-info.ts',
    text: '= pod.namespace',
    replacement: "= 'default'",
    test: 'src/cluster/documents.test.ts',
  },
  {
    id: 'S1-16',
    file: 'src/storage/driver-policy.ts',
    text: '(alpha?.podInfoRequiredOnMount ?? false)',
    replacement: '(alpha?.podInfoRequiredOnMount ?? true)',
    test: 'src/cluster/documents.test.ts',
  },
  {
    id: 'S1-21',
    file: 'src/controllers/registry/start-registry.ts',
    text: 'retryInMs: step.retryInMs ?? checkMs',
    replacement: 'retryInMs: step.retryInMs ?? 600_000',
    test: 'src/controllers/registry/registry.test.ts',
  },
  {
    id: 'S1-24',
    file: 'src/cli/node.ts',
    text: '...pickRegistration(config),',
    replacement: '',
    test: 'src/cli/node-flags.test.ts',
  },
  {
    id: 'S1-26',
    file: 'src/compat/alpha-csi-driver.ts',
    text: 'attachRequired ?? !(skipAttach ?? false)',
    replacement: 'attachRequired ?? true',
    test: 'src/cluster/documents.test.ts',
  },
]
