import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import { passesTokens } from '../../api/driver-gates.ts'
import type { DriverGates } from '../../api/driver-gates.ts'
import { ALPHA_CSI_DRIVERS } from '../../compat/alpha-csi-driver.ts'
import type { Draft } from '../core/kind-definition.ts'
import { storageOf } from '../core/stored-object.ts'
import type { AdmissionPlugin } from './admission.ts'

// In both kinds, what a driver can ask for only with the gate CSIServiceAccountToken.
const TOKEN_FIELDS: Readonly<Record<string, readonly string[]>> = {
  [storageOf(CSI_DRIVERS)]: ['tokenRequests', 'requiresRepublish', 'serviceAccountTokenInSecrets'],
  [storageOf(ALPHA_CSI_DRIVERS)]: ['serviceAccountTokens', 'requiresRemount'],
}

/** Drops the fields of a feature that is off from what is written, except where the stored object has them already: as the API server of Kubernetes does. */
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
