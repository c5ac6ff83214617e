/** A conformance spec of the API server that does not run on Holdfast, by a part of its name, and why. `docs/api-server.md` lists the same. */
export type ExcludedSpec = { readonly spec: string; readonly because: string }

export const EXCLUDED_SPECS: readonly ExcludedSpec[] = [
  {
    spec: 'AdmissionWebhook [Privileged:ClusterAdmin]',
    because: 'each of its specs runs the webhook in a container',
  },
  {
    spec: 'CustomResourceConversionWebhook [Privileged:ClusterAdmin]',
    because: 'runs the webhook in a container; conversion webhooks are not called',
  },
  {
    spec: 'CustomResourceFieldSelectors [Privileged:ClusterAdmin]',
    because: 'runs a conversion webhook in a container; conversion webhooks are not called',
  },
  {
    spec: 'Aggregator Should be able to support the 1.17 Sample API Server',
    because: 'runs an API server in a container; the API is not aggregated',
  },
]
