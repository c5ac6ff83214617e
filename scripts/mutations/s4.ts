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
    id: 'S4-35',
    file: 'src/node/credentials/credentials.ts',
    text: 'const askKey = `${uid} ${key}`',
    replacement: 'const askKey = key',
    test: 'src/node/volumes/many-tokens.test.ts',
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
    id: 'S4-38',
    file: 'src/api/driver-gates.ts',
    text: '): boolean => CSIServiceAccountToken',
    replacement: '): boolean => CSIServiceAccountToken || true',
    test: 'src/cluster/service-account-tokens.test.ts',
  },
  {
    id: 'S4-40',
    file: 'src/apiserver/admission/disabled-fields.ts',
    text: 'spec && before?.[field] === undefined',
    replacement: 'spec',
    test: 'src/cli/feature-gates.test.ts',
  },
  {
    id: 'S4-41',
    file: 'src/node/credentials/credentials.ts',
    text: "const { namespace = '', name = '', uid = '' } = metadata",
    replacement:
      "const { namespace = '', name = '', uid = '' } = metadata\n    await api.get(SERVICE_ACCOUNTS, { namespace, name: spec.serviceAccountName ?? '' }).catch(() => {})",
    test: 'src/cluster/service-account-tokens.test.ts',
  },
  {
    id: 'S4-43',
    file: 'src/node/credentials/credentials.ts',
    text: 'if (present && clock.monotonicMs() < present.renewAtMs) return present',
    replacement: '',
    test: 'src/cluster/service-account-tokens.test.ts',
  },
]
