import type { RequirementMutation } from './requirement-mutation.ts'

export const H_MUTATIONS: readonly RequirementMutation[] = [
  {
    id: 'H29',
    file: 'src/sidecars/read-driver-info.ts',
    text: 'requireCsiDriverName(name, socket)',
    replacement: 'name',
    test: 'src/cli/invalid-driver-name.test.ts',
  },
]
