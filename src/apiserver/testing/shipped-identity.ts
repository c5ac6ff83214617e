import type { User } from '../core/user.ts'

/** The account of `examples/sidecar/rbac.yaml`. */
export const SIDECAR_USER: User = {
  name: 'system:serviceaccount:default:csi-sidecar',
  groups: ['system:serviceaccounts', 'system:serviceaccounts:default', 'system:authenticated'],
}
