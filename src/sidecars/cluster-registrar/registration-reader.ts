import { isForbidden, isNotFound } from '../../api/api-error.ts'
import type { Api } from '../../api/api.ts'
import { CSI_DRIVERS } from '../../api/kinds/csi-driver.ts'
import type { CSIDriver } from '../../api/kinds/csi-driver.ts'
import type { Clock } from '../../base/clock.ts'
import { ALPHA_CSI_DRIVERS } from '../../compat/alpha-csi-driver.ts'
import type { AlphaCSIDriver } from '../../compat/alpha-csi-driver.ts'
import { within } from '../../kube/within.ts'

/** What the server has at this moment: these objects are few and looked at seldom. */
export interface RegistrationReader {
  csiDriver(name: string, signal: AbortSignal): Promise<CSIDriver | undefined>
  /** Undefined: the server does not have the registry's kind, or does not let us see it. */
  alphaDrivers(signal: AbortSignal): Promise<readonly AlphaCSIDriver[] | undefined>
}

export function createRegistrationReader({ api, clock }: { api: Api; clock: Clock }): RegistrationReader {
  const unless = async <T>(
    isAbsent: (error: unknown) => boolean,
    signal: AbortSignal,
    request: (signal: AbortSignal) => Promise<T>,
  ): Promise<T | undefined> => {
    try {
      return await within(clock, signal, request)
    } catch (error) {
      if (isAbsent(error)) return undefined
      throw error
    }
  }
  const isHidden = (error: unknown): boolean => isNotFound(error) || isForbidden(error)
  return {
    csiDriver: (name, signal) =>
      unless(isNotFound, signal, (until) => api.get(CSI_DRIVERS, { name }, { signal: until })),
    alphaDrivers: async (signal) =>
      (await unless(isHidden, signal, (until) => api.list(ALPHA_CSI_DRIVERS, { signal: until })))?.items,
  }
}
