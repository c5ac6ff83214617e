import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { passesTokens } from '../../api/driver-gates.ts'
import type { DriverGates } from '../../api/driver-gates.ts'
import { ALPHA_CSI_DRIVERS } from '../../compat/alpha-csi-driver.ts'
import type { Draft } from '../core/kind-definition.ts'
import { storageOf } from '../core/stored-object.ts'
import type { AdmissionPlugin } from './admission.ts'

// In both kinds, the fields that a driver can use only with the gate CSIServiceAccountToken.
const TOKEN_FIELDS: Readonly<Record<string, readonly string[]>> = {
  [storageOf(CSI_DRIVERS)]: ['tokenRequests', 'requiresRepublish', 'serviceAccountTokenInSecrets'],
  [storageOf(ALPHA_CSI_DRIVERS)]: ['serviceAccountTokens', 'requiresRemount'],
}

/** Drops the fields of disabled features from writes, unless the stored object already has them, as in kube-apiserver. */
export function createDisabledFields(gates: DriverGates): AdmissionPlugin {
  return {
    name: 'DisabledFields',
    mutate({ kind, object, old }) {
      const fields = TOKEN_FIELDS[kind.storage]
      if (!fields || !object || passesTokens(gates)) return
      const [spec, before] = [specOf(object), specOf(old)]
      for (const field of fields) if (spec && before?.[field] === undefined) delete spec[field]
    },
  }
}

const specOf = (draft: Draft | undefined): Record<string, unknown> | undefined =>
  draft?.['spec'] as Record<string, unknown> | undefined
