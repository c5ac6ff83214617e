import type { RequirementMutation } from './requirement-mutation.ts'

export const S4_MUTATIONS: readonly RequirementMutation[] = [
  {
    id: 'S4-34',
    file: 'src/apiserver/admission/disabled-fields.ts',
    text: '|| passesTokens(gates)) return',
    replacement: ') return',
    test: 'src/cli/feature-gates.test.ts',
  },
  {
    id: 'S4-37',
    file: 'src/apiserver/admission/disabled-fields.ts',
    text: 'before?.[field] === undefined',
    replacement: 'false',
    test: 'src/cli/feature-gates.test.ts',
  },
  {
    id: 'S4-38',
    file: 'src/cluster/start-nodes.ts',
    text: '...volumes, gates }',
    replacement: '...volumes }',
    test: 'src/cli/feature-gates.test.ts',
  },
  {
    id: 'S4-40',
    file: 'src/apiserver/admission/disabled-fields.ts',
    text: 'spec && before?.[field] === undefined',
    replacement: 'spec',
    test: 'src/cli/feature-gates.test.ts',
  },
]
