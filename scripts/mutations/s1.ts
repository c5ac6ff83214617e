import type { RequirementMutation } from './requirement-mutation.ts'

export const S1_MUTATIONS: readonly RequirementMutation[] = [
  {
    id: 'S1-24',
    file: 'src/cli/node.ts',
    text: '...pickRegistration(config), ',
    replacement: '',
    test: 'src/cli/node-flags.test.ts',
  },
]
