import type { AcceptedError } from './control-plane-errors.ts'

/** Error lines of kube-controller-manager and kube-scheduler that appear on Holdfast's API server only. */
export const ACCEPTED_ERRORS: readonly AcceptedError[] = [
  {
    text: 'publisher.go:N] "Unhandled Error" err="syncing \\"leaving\\" failed: configmaps \\"kube-root-ca.crt\\"',
    because: "the server creates the ConfigMap itself, before kube-controller-manager's publisher does",
  },
  {
    text: 'serviceaccounts_controller.go:N] "Service account work item failed" err="namespaces \\"leaving\\" not found"',
    because: 'the server deletes an empty namespace within milliseconds, while the controller still works on it',
  },
  {
    text: 'resource_quota_controller.go:N] "Error processing resource quota work item" err="Operation cannot be fulfilled on resourcequotas',
    because:
      'the server updates the status of a quota when it admits a pod, as kube-apiserver does; the controller retries at once',
  },
  {
    text: 'missing content for CA bundle \\"client-ca::kube-system::extension-apiserver-authentication::requestheader-client-ca-file\\"',
    because: 'no proxy authenticates users for this server, so there is no certificate authority for such proxies',
  },
  {
    text: 'is not as new as written version',
    because: 'a cache is asked before the event of its own write arrives; the controller retries at once',
  },
]
