import type { CSIDriverTokenRequest } from '../api/kinds/csi-driver.ts'
import type { AlphaCSIDriverSpec, ServiceAccountToken } from './alpha-csi-driver.ts'

/** The tokens that an object asks for, in today's form. An audience that is neither a text nor a list of one is left out. */
export function tokenRequestsOf({ serviceAccountTokens }: AlphaCSIDriverSpec): CSIDriverTokenRequest[] {
  return (serviceAccountTokens ?? []).flatMap((token) => {
    const audience = audienceOf(token)
    const { expirationSeconds } = token
    return audience === undefined
      ? []
      : [{ audience, ...(typeof expirationSeconds === 'number' ? { expirationSeconds } : {}) }]
  })
}

/** Undefined where the audience can't be read. None at all, or an empty one, is that of the API server. */
export function audienceOf({ audience }: ServiceAccountToken): string | undefined {
  const [only, ...more] = Array.isArray(audience) ? (audience as unknown[]) : [audience ?? '']
  if (more.length > 0) return undefined
  return typeof only === 'string' ? only : only === undefined ? '' : undefined
}
