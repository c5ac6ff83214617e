import type { RequirementMutation } from './requirement-mutation.ts'

export const S3_MUTATIONS: readonly RequirementMutation[] = [
  {
    id: 'S3-3',
    file: 'src/cluster/start-controllers.ts',
    text: 'startControllers({ clock, random, log }: ClusterParts, api: Api): Promise<StartedPart> {',
    replacement: "startControllers({ host, clock, random, log }: ClusterParts, api: Api): Promise<StartedPart> {\n  await host.files.list('/cluster')",
    test: 'src/cluster/separate-parts.test.ts',
  },
  {
    id: 'S3-4',
    file: 'src/sidecars/attacher/start-attacher.ts',
    text: 'spec.attacher === facts.name',
    replacement: 'spec.attacher !== undefined',
    test: 'src/cluster/separate-parts.test.ts',
  },
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
    id: 'S3-95',
    file: 'src/apiserver/authorization/node-authorizer.ts',
    text: '',
    replacement: '',
    test: 'src/cluster/separate-parts.test.ts',
  },
  {
    id: 'S3-106',
    file: 'src/controllers/attach-detach/next-attachment-step.ts',
    text: "return { kind: 'create', attachment: attachmentFor(name, wish) }",
    replacement: 'return wait(REASONS.notWanted)',
    test: 'src/cluster/separate-parts.test.ts',
  },
  {
    id: 'S3-148',
    file: 'src/apiserver/open-server.ts',
    text: 'allowedLabelPrefixes: options.nodeLabelPrefixes ?? []',
    replacement: 'allowedLabelPrefixes: []',
    test: 'src/cli/node-flags.test.ts',
  },
  {
    id: 'S3-176',
    file: 'examples/sidecar/rbac.yaml',
    text: 'resources: [persistentvolumes]',
    replacement: 'resources: [persistentvolumes, secrets]',
    test: 'src/cluster/separate-parts.test.ts',
  },
]
