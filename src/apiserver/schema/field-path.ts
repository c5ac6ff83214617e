/** The position in a value: names of members, and indexes of list items. */
export type FieldPath = readonly (string | number)[]

/** `spec.containers[0].image`. */
export function formatPath(path: FieldPath): string {
  let text = ''
  for (const step of path) text += typeof step === 'number' ? `[${step}]` : text === '' ? step : `.${step}`
  return text
}
