import { formatLabelSelector, labelRequirementsOf } from '../../../api/label-selector.ts'
import type { LabelSelector } from '../../../api/kinds/selectors.ts'
import type { Loose } from '../loose.ts'

/** `a=b,c in (d)`; an empty selector is `<none>`. */
export function formatSelector(selector: Loose<LabelSelector> | undefined): string {
  try {
    return formatLabelSelector(labelRequirementsOf((selector ?? {}) as LabelSelector)) || '<none>'
  } catch {
    return '<error>'
  }
}

/** `a=b,c=d`; no labels are `<none>`. */
export const formatLabels = (labels: Readonly<Record<string, string | undefined>> | undefined): string =>
  Object.entries(labels ?? {})
    .map(([key, value]) => `${key}=${value}`)
    .sort()
    .join(',') || '<none>'
