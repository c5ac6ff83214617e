import type { MutatingWebhook, ValidatingWebhook } from '../../../api/kinds/admission-registration.ts'
import { validateName } from '../../../api/names.ts'
import type { FieldProblem } from '../../core/kind-definition.ts'
import type { Loose } from '../loose.ts'
import { FAILURE_POLICIES, MATCH_POLICIES, matchConditionProblems, ruleProblems } from './admission-rules.ts'
import { WEBHOOK_NAMES } from './expressions.ts'
import { duplicate, invalid, notSupported, oneOf, required } from './problems.ts'
import { labelSelectorProblems } from './selectors.ts'

export type AnyWebhook = Loose<ValidatingWebhook> & Pick<Loose<MutatingWebhook>, 'reinvocationPolicy'>

const REVIEW_VERSIONS = ['v1', 'v1beta1']
const SIDE_EFFECTS = ['None', 'NoneOnDryRun']
const REINVOCATIONS = ['IfNeeded', 'Never']

export function applyWebhookDefaults(webhook: AnyWebhook): void {
  webhook.failurePolicy ??= 'Fail'
  webhook.matchPolicy ??= 'Equivalent'
  webhook.namespaceSelector ??= {}
  webhook.objectSelector ??= {}
  webhook.timeoutSeconds ??= 10
  for (const rule of webhook.rules ?? []) rule.scope ??= '*'
  if (webhook.clientConfig?.service) webhook.clientConfig.service.port ??= 443
}

export function webhookProblems(webhooks: readonly AnyWebhook[] = []): FieldProblem[] {
  return webhooks.flatMap((webhook, index) => {
    const field = `webhooks[${index}]`
    const isRepeated = webhook.name && webhooks.findIndex(({ name }) => name === webhook.name) < index
    return [...oneWebhookProblems(field, webhook), ...(isRepeated ? [duplicate(`${field}.name`, webhook.name)] : [])]
  })
}

function oneWebhookProblems(field: string, webhook: AnyWebhook): FieldProblem[] {
  const { timeoutSeconds = 10, sideEffects } = webhook
  return [
    ...nameProblems(`${field}.name`, webhook.name ?? ''),
    ...(webhook.rules ?? []).flatMap((rule, index) => ruleProblems(`${field}.rules[${index}]`, rule)),
    ...oneOf(`${field}.failurePolicy`, webhook.failurePolicy, FAILURE_POLICIES),
    ...oneOf(`${field}.matchPolicy`, webhook.matchPolicy, MATCH_POLICIES),
    ...(sideEffects === undefined
      ? [required(`${field}.sideEffects`, `must specify one of ${SIDE_EFFECTS.join(', ')}`)]
      : oneOf(`${field}.sideEffects`, sideEffects, SIDE_EFFECTS)),
    ...(timeoutSeconds < 1 || timeoutSeconds > 30
      ? [invalid(`${field}.timeoutSeconds`, timeoutSeconds, 'the timeout value must be between 1 and 30 seconds')]
      : []),
    ...labelSelectorProblems(`${field}.namespaceSelector`, webhook.namespaceSelector),
    ...labelSelectorProblems(`${field}.objectSelector`, webhook.objectSelector),
    ...(webhook.reinvocationPolicy === undefined || REINVOCATIONS.includes(webhook.reinvocationPolicy)
      ? []
      : [notSupported(`${field}.reinvocationPolicy`, webhook.reinvocationPolicy, REINVOCATIONS)]),
    ...clientProblems(`${field}.clientConfig`, webhook.clientConfig ?? {}),
    ...matchConditionProblems(`${field}.matchConditions`, webhook.matchConditions, WEBHOOK_NAMES),
    ...versionProblems(`${field}.admissionReviewVersions`, webhook.admissionReviewVersions ?? []),
  ]
}

function nameProblems(field: string, name: string): FieldProblem[] {
  if (name === '') return [required(field)]
  const details = validateName('subdomain', name)
  if (details.length > 0) return [invalid(field, name, details.join(','))]
  return name.split('.').length < 3
    ? [invalid(field, name, 'should be a domain with at least three segments separated by dots')]
    : []
}

const DESIRED = '; desired format: https://host[/path]'

function clientProblems(field: string, { url, service }: NonNullable<AnyWebhook['clientConfig']>): FieldProblem[] {
  if ((url === undefined) === (service === undefined))
    return [required(field, 'exactly one of url or service is required')]
  if (url !== undefined) return urlProblems(`${field}.url`, url)
  const { name, namespace, port = 443, path } = service ?? {}
  return [
    ...(name ? [] : [required(`${field}.service.name`)]),
    ...(namespace ? [] : [required(`${field}.service.namespace`)]),
    ...(port < 1 || port > 65_535
      ? [invalid(`${field}.service.port`, port, 'port is not valid: must be between 1 and 65535, inclusive')]
      : []),
    ...(path !== undefined && path !== '' && !path.startsWith('/')
      ? [invalid(`${field}.service.path`, path, "must start with a '/'")]
      : []),
  ]
}

function urlProblems(field: string, text: string): FieldProblem[] {
  const url = URL.parse(text)
  if (!url) return [required(field, `url must be a valid URL: ${text}${DESIRED}`)]
  return [
    ...(url.protocol === 'https:'
      ? []
      : [invalid(field, url.protocol.slice(0, -1), `'https' is the only allowed URL scheme${DESIRED}`)]),
    ...(url.host === '' ? [invalid(field, '', `host must be specified${DESIRED}`)] : []),
    ...(url.username || url.password
      ? [invalid(field, url.username, 'user information is not permitted in the URL')]
      : []),
    ...(url.hash ? [invalid(field, url.hash.slice(1), 'fragments are not permitted in the URL')] : []),
    ...(url.search ? [invalid(field, url.search.slice(1), 'query parameters are not permitted in the URL')] : []),
  ]
}

function versionProblems(field: string, versions: readonly (string | undefined)[]): FieldProblem[] {
  if (versions.length === 0) return [required(field, `must specify one of ${REVIEW_VERSIONS.join(', ')}`)]
  return [
    ...versions.flatMap((version, index) =>
      versions.indexOf(version) < index ? [invalid(`${field}[${index}]`, version, 'duplicate version')] : [],
    ),
    ...(versions.some((version) => REVIEW_VERSIONS.includes(version ?? ''))
      ? []
      : [invalid(field, versions, `must include at least one of ${REVIEW_VERSIONS.join(', ')}`)]),
  ]
}
