import type { Clock } from '../base/clock.ts'
import type { Logger } from '../base/logger.ts'
import type { Random } from '../base/random.ts'
import type { DriverGates } from '../api/driver-gates.ts'
import {
  createDisabledFields,
  createResourceQuota,
  createServiceAddresses,
  defaultAdmissionPlugins,
} from './admission/index.ts'
import { createAuthenticator } from './authentication/authenticator.ts'
import type { CallWebhook } from './admission/webhooks/webhook-call.ts'
import { createMutatingPolicies } from './admission/policies/mutating-policies.ts'
import { createValidatingPolicies } from './admission/policies/validating-policies.ts'
import { createWebhookAdmission } from './admission/webhooks/webhook-admission.ts'
import type { Authenticator } from './authentication/authenticator.ts'
import { createTokenIssuer } from './authentication/service-account-tokens.ts'
import type { StaticTokens } from './authentication/static-tokens.ts'
import type { SigningKey } from './authentication/token-key.ts'
import { createTokenRequest } from './authentication/token-request.ts'
import { createTokenVerifier } from './authentication/token-verifier.ts'
import { ALLOW_PRIVILEGED, ALWAYS_ALLOW, createAuthorizerChain } from './authorization/authorizer-chain.ts'
import { createEscalationCheck } from './authorization/escalation-check.ts'
import { createNodeAuthorizer } from './authorization/node-authorizer.ts'
import { createNodeRestriction } from './authorization/node-restriction.ts'
import { createRbac } from './authorization/rbac.ts'
import { createBackgroundTasks } from './background/background-tasks.ts'
import { startCompaction } from './background/compaction.ts'
import { startVersionExpiry, VERSIONS_KEPT_MS } from './background/version-expiry.ts'
import { EVENTS_STORAGE, startEventExpiry } from './background/event-expiry.ts'
import type { EventLimits } from './background/event-expiry.ts'
import { startGarbageCollector } from './background/garbage-collector.ts'
import { startNamespaceCleaner } from './background/namespace-cleaner.ts'
import { startNamespaceContent } from './background/namespace-content.ts'
import { startKubernetesService } from './background/kubernetes-service.ts'
import type { ServerAddress } from './background/kubernetes-service.ts'
import { startQuotaStatus } from './background/quota-status.ts'
import { createBootstrapObjects } from './bootstrap.ts'
import { createCore } from './core/core.ts'
import type { Core, RequestObserver } from './core/core.ts'
import { createKindRegistry } from './core/kind-registry.ts'
import type { SpecialHandler } from './core/perform-request.ts'
import { openStore } from './core/store.ts'
import type { Store } from './core/store.ts'
import { SYSTEM_USER } from './core/user.ts'
import { createWatchHub } from './core/watch-hub.ts'
import { serveCrdKinds, startCrdCleaner } from './crd/crd-kinds.ts'
import { createCrdStatus } from './crd/crd-status.ts'
import { builtInKinds } from './kinds/index.ts'
import { reviewHandlers } from './reviews.ts'
import { bindPod, createBinding, evictPod, finalizeNamespace, serveScale } from './special/index.ts'
import type { Backend } from './storage/backend.ts'

export const ISSUER = 'https://kubernetes.default.svc.cluster.local'

export type ServerOptions = {
  backend: Backend
  clock: Clock
  random: Random
  log: Logger
  /** `AlwaysAllow` is for tests: every user may do everything. */
  authorizationMode: 'Node,RBAC' | 'AlwaysAllow'
  signingKey: SigningKey
  /** The CA bundle with which pods trust the server. */
  rootCaPem: string
  staticTokens?: StaticTokens
  /** Label prefixes below kubernetes.io and k8s.io that nodes may set on themselves, in addition to those of upstream. Default none. */
  nodeLabelPrefixes?: readonly string[]
  /** Default: all enabled. */
  gates?: DriverGates
  /** How many events are kept, and for how long. */
  eventLimits?: Partial<EventLimits>
  /** Bytes of changes that are kept for resuming watches and for lists at earlier versions. Default 32 MiB. */
  watchWindowBytes?: number
  /** How long earlier versions can be listed at least; at most twice as long. Default five minutes. */
  versionsKeptMs?: number
  observe?: RequestObserver
  /** Reaches admission webhooks. Default: none can be reached. */
  callWebhook?: CallWebhook
}

/** A server without its network. */
export interface OpenServer {
  readonly core: Core
  readonly authenticator: Authenticator
  /** Publishes this address in the Service `kubernetes` and its endpoints. */
  advertise(address: ServerAddress): Promise<void>
  /** Resolves when the server's background tasks have nothing to do. */
  idle(): Promise<void>
  close(): Promise<void>
}

// The most numerous objects. Their values take more memory than their text, and are rarely needed: lists and gets send the text. Pods are not among
// them, because every node lists them with a selector.
const KEPT_AS_TEXT = [
  EVENTS_STORAGE,
  'persistentvolumes',
  'persistentvolumeclaims',
  'storage.k8s.io/volumeattachments',
] as const

/** Opens the state and assembles the server. If that fails, the state is closed again. */
export async function openServer(options: ServerOptions): Promise<OpenServer> {
  const store = await openStore(options.backend, { asText: KEPT_AS_TEXT })
  try {
    return await assembleServer(options, store)
  } catch (error) {
    await store.close()
    throw error
  }
}

async function assembleServer(options: ServerOptions, store: Store): Promise<OpenServer> {
  const { clock, random, log, signingKey } = options
  const kinds = createKindRegistry(builtInKinds())
  // The first listener, so that a client that sees a CRD can use it.
  serveCrdKinds({ store, kinds })

  const rbac = createRbac(store.visible)
  const nodes = createNodeAuthorizer(store.visible)
  store.onChange((change) => {
    rbac.onChange(change)
    nodes.onChange(change)
  })
  const authorizer =
    options.authorizationMode === 'AlwaysAllow' ? ALWAYS_ALLOW : createAuthorizerChain([ALLOW_PRIVILEGED, nodes, rbac])
  const { onChange, initialRevisions } = store
  const windowBytes = options.watchWindowBytes
  const hub = createWatchHub({ onChange, initialRevisions, ...(windowBytes !== undefined && { windowBytes }) })
  kinds.onRemove(({ storage }) => hub.end(storage))

  const apiAudiences = [ISSUER]
  const issuer = createTokenIssuer({ key: signingKey, issuer: ISSUER, apiAudiences })
  const serviceAccountTokens = createTokenVerifier({
    keys: [signingKey],
    issuer: ISSUER,
    apiAudiences,
    view: store.visible,
  })
  const authenticator = createAuthenticator({
    clock,
    authorizer,
    apiAudiences,
    serviceAccountTokens,
    ...(options.staticTokens ? { staticTokens: options.staticTokens } : {}),
  })
  const admission = [
    createDisabledFields(options.gates ?? {}),
    ...defaultAdmissionPlugins,
    createServiceAddresses(random),
    createMutatingPolicies({ store, kinds }),
    createNodeRestriction({ authorizer, allowedLabelPrefixes: options.nodeLabelPrefixes ?? [] }),
    createEscalationCheck({ rbac, authorizer }),
    createCrdStatus({ kinds, clock }),
    createValidatingPolicies({ store, kinds }),
    // Last, because it charges for writes that are not rejected.
    createResourceQuota({ store, clock }),
  ]
  const webhooks = createWebhookAdmission({
    store,
    kinds,
    clock,
    random,
    ...(options.callWebhook && { call: options.callWebhook }),
  })
  const requestToken = createTokenRequest({ view: store.visible, issuer, clock, random })
  const handlers = new Map<string, SpecialHandler>([
    ...reviewHandlers({ authorizer, authenticator, requestToken }),
    ['bindings', { create: createBinding }],
    ['pods/binding', { create: bindPod }],
    ['pods/eviction', { create: evictPod }],
    ['namespaces/finalize', { update: finalizeNamespace }],
    ['*/scale', serveScale],
  ])
  const core = createCore({
    store,
    hub,
    kinds,
    admission,
    webhooks,
    clock,
    random,
    authorizer,
    handlers,
    ...(options.observe ? { observe: options.observe } : {}),
  })

  const api = core.as(SYSTEM_USER, { userAgent: 'holdfast-apiserver' })
  await createBootstrapObjects(api, { clientCaPem: options.rootCaPem, nowMs: clock.nowMs() })
  const tasks = createBackgroundTasks({ clock, random, log })
  startGarbageCollector({ store, kinds, api, tasks, log })
  startNamespaceCleaner({ store, kinds, api, tasks, clock })
  startNamespaceContent({ store, api, tasks, rootCaPem: options.rootCaPem })
  const advertise = startKubernetesService({ store, api, tasks })
  startQuotaStatus({ store, kinds, tasks, clock })
  startCrdCleaner({ store, kinds, api, tasks })
  startEventExpiry({ store, kinds, api, tasks, clock, ...(options.eventLimits ? { limits: options.eventLimits } : {}) })
  startCompaction({ backend: options.backend, tasks })
  startVersionExpiry({ store, hub, tasks, keptMs: options.versionsKeptMs ?? VERSIONS_KEPT_MS })
  await tasks.idle()

  const close = async (): Promise<void> => {
    hub.end()
    await tasks.stop()
    await store.close()
  }
  return { core, authenticator, advertise, idle: () => tasks.idle(), close }
}
