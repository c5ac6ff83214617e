import type { KindRegistry } from '../core/kind-registry.ts'
import type { ResourceRequest, ResourceResponse } from '../core/resource-request.ts'
import type { User } from '../core/user.ts'

/** All that HTTP knows of the server behind it. */
export type CoreDoor = {
  /** Authorizes, performs and reports one request. Fails with an ApiError. */
  execute(request: ResourceRequest): Promise<ResourceResponse>
  /** For paths that are no resources. Fails with 403. */
  authorizePath(user: User, verb: string, path: string): void
  readonly kinds: KindRegistry
}
