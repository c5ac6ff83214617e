import { SERVICE_ACCOUNTS } from '../../api/kinds/service-account.ts'
import type { ServiceAccount } from '../../api/kinds/service-account.ts'
import { AGE, NAME } from './columns.ts'
import { kindTable } from './define-kind.ts'

export const SERVICE_ACCOUNT_KIND = kindTable<ServiceAccount>({
  type: SERVICE_ACCOUNTS,
  shortNames: ['sa'],
  deleteAnswer: 'object',
  subresources: {
    token: { kind: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' }, verbs: ['create'] },
  },
  columns: [NAME, AGE],
})
