import type { RequirementMutation } from './requirement-mutation.ts'

export const S3_MUTATIONS: readonly RequirementMutation[] = [
  {
    id: 'S3-9',
    file: 'src/node/registration/registration-options.ts',
    text: '}) => ({\n  createCsiDrivers,\n  assumeDriverSockets,',
    replacement: '}) => ({\n  createCsiDrivers,\n  assumeDriverSockets: false,',
    test: 'src/cli/node-flags.test.ts',
  },
  {
    id: 'S3-12',
    file: 'src/sidecars/read-driver-info.ts',
    text: 'requireCsiDriverName(name, socket)',
    replacement: 'name',
    test: 'src/cli/invalid-driver-name.test.ts',
  },
  {
    id: 'S3-24',
    file: 'src/node/registration/label-record.ts',
    text: 'record[driver]?.[key] === present',
    replacement: 'false',
    test: 'src/cli/node-flags.test.ts',
  },
  {
    id: 'S3-148',
    file: 'src/apiserver/open-server.ts',
    text: 'allowedLabelPrefixes: options.nodeLabelPrefixes ?? []',
    replacement: 'allowedLabelPrefixes: []',
    test: 'src/cli/node-flags.test.ts',
  },
]
