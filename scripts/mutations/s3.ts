import type { RequirementMutation } from './requirement-mutation.ts'

export const S3_MUTATIONS: readonly RequirementMutation[] = [
  {
    id: 'S3-12',
    file: 'src/sidecars/read-driver-info.ts',
    text: 'requireCsiDriverName(name, socket)',
    replacement: 'name',
    test: 'src/cli/invalid-driver-name.test.ts',
  },
]
