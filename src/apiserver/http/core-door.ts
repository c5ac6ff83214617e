import type { KindRegistry } from '../core/kind-registry.ts'
import type { RequestHead, ResourceRequest, ResourceResponse } from '../core/resource-request.ts'
import type { User } from '../core/user.ts'

/** All that HTTP knows of the server behind it. */
export type CoreDoor = {
  /** Authorizes, performs and reports one request. Fails with an ApiError. */
  execute(request: ResourceRequest): Promise<ResourceResponse>
  /** Asked before a body is read: what is not allowed anyway is not worth reading. */
  isAllowed(request: RequestHead): boolean
  /** For paths that are no resources. Fails with 403. */
  authorizePath(user: User, verb: string, path: string): void
  readonly kinds: KindRegistry
}
