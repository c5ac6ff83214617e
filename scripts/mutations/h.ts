import type { RequirementMutation } from './requirement-mutation.ts'

export const H_MUTATIONS: readonly RequirementMutation[] = [
  {
    id: 'H10',
    file: 'src/controllers/controller-definitions.ts',
    text: 'skipAttach: config.featureGates.CSISkipAttach',
    replacement: 'skipAttach: true',
    test: 'src/cli/feature-gates.test.ts',
  },
  {
    id: 'H12',
    file: 'src/cluster/csidriver-access.ts',
    text: 'verbs: [\'create\']',
    replacement: 'verbs: [\'get\']',
    test: 'src/cli/node-flags.test.ts',
  },
  {
    id: 'H21',
    file: 'src/node/registration/label-record.ts',
    text: 'record[driver]?.[key] === present',
    replacement: 'true',
    test: 'src/cli/node-flags.test.ts',
  },
  {
    id: 'H29',
    file: 'src/sidecars/read-driver-info.ts',
    text: 'requireCsiDriverName(name, socket)',
    replacement: 'name',
    test: 'src/cli/invalid-driver-name.test.ts',
  },
  {
    id: 'H30',
    file: 'src/node/registration/registration-options.ts',
    text: '}) => ({\n  createCsiDrivers,\n  assumeDriverSockets,',
    replacement: '}) => ({\n  createCsiDrivers,\n  assumeDriverSockets: false,',
    test: 'src/cli/node-flags.test.ts',
  },
  {
    id: 'H55',
    file: 'src/sidecars/provisioner/topology.ts',
    text: 'if (term && (!onlyRegistered || isRegistered(node))) terms.push(term)',
    replacement: 'if (term) terms.push(term)',
    test: 'src/sidecars/provisioner/requirements.test.ts',
  },
  {
    id: 'H56',
    file: 'src/sidecars/provisioner/topology-term.ts',
    text: 'if (value === undefined) return undefined',
    replacement: 'if (value === undefined) continue',
    test: 'src/sidecars/provisioner/requirements.test.ts',
  },
  {
    id: 'H67',
    file: 'src/controllers/controller-definitions.ts',
    text: ', gates: config.featureGates }',
    replacement: ' }',
    test: 'src/cli/feature-gates.test.ts',
  },
]
