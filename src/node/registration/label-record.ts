import type { Node } from '../../api/kinds/node.ts'

/** Which topology labels of the node each driver wrote last, with their values: `{"d.example.com":{"example.com/zone":"a"}}`. */
export const LABEL_RECORD_ANNOTATION = 'holdfast.dev/topology-labels'

export type LabelRecord = Readonly<Record<string, Readonly<Record<string, string>>>>

/** What is recorded on the node. Only the node agent writes it, so a record that can't be parsed counts as none. */
export function parseLabelRecord({ metadata }: Node): LabelRecord {
  try {
    const parsed: unknown = JSON.parse(metadata.annotations?.[LABEL_RECORD_ANNOTATION] ?? '{}')
    return Object.fromEntries(
      Object.entries(isObject(parsed) ? parsed : {}).flatMap(([driver, labels]) =>
        isObject(labels) ? [[driver, textsOf(labels)]] : [],
      ),
    )
  } catch {
    return {}
  }
}

/** The record once a driver has written these labels: a key belongs to the driver that wrote it last. */
export function noteLabels(record: LabelRecord, driver: string, labels: Readonly<Record<string, string>>): LabelRecord {
  const without = (own: Readonly<Record<string, string>>) =>
    Object.fromEntries(Object.entries(own).filter(([key]) => !Object.hasOwn(labels, key)))
  const others = Object.entries(record).map(([name, own]) => [name, without(own)] as const)
  const all = { ...Object.fromEntries(others), [driver]: { ...without(record[driver] ?? {}), ...labels } }
  return Object.fromEntries(Object.entries(all).filter(([, own]) => Object.keys(own).length > 0))
}

/** Whether the label still has the value that this driver wrote. */
export const isWrittenBy = (record: LabelRecord, driver: string, key: string, present: string): boolean =>
  Object.hasOwn(record, driver) && record[driver]?.[key] === present

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
const textsOf = (labels: Record<string, unknown>): Record<string, string> =>
  Object.fromEntries(Object.entries(labels).filter((entry): entry is [string, string] => typeof entry[1] === 'string'))
