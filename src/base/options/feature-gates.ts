import { readItems } from './collection-options.ts'
import { findNearest } from './find-nearest.ts'
import type { Option, OptionExtras, Reading } from './option.ts'
import { parseBoolean } from './parse-scalar.ts'
import { quoteText, ValueError } from './value-error.ts'

export type FeatureStage = 'alpha' | 'beta' | 'GA' | 'deprecated'

export type FeatureGate = {
  readonly default: boolean
  readonly stage: FeatureStage
  /** The default can be repeated but not changed. Default false. */
  readonly locked?: boolean
}

/** Which gates are enabled. */
export type GateSettings<Gates extends FeatureGateTable> = { readonly [Name in keyof Gates]: boolean }

/** Gates by name. */
export type FeatureGateTable = Readonly<Record<string, FeatureGate>>

// Sets every gate of the stage that is not set by its own name.
const GROUPS: Readonly<Record<string, FeatureStage>> = { AllAlpha: 'alpha', AllBeta: 'beta' }

/** Which of the known features are enabled: `A=true,B=false`. A gate's own name takes precedence over `AllAlpha` and `AllBeta`, in any order. */
export function featureGates<const Gates extends FeatureGateTable>(
  gates: Gates,
  description: string,
  extras: OptionExtras = {},
): Option<GateSettings<Gates>, false> {
  const decide = (given: ReadonlyMap<string, boolean>) => decideGates(gates, given)
  const read = (words: readonly string[]): Reading<GateSettings<Gates>> => {
    const settings = readItems(words, { skipEmpty: true }, (item) => parseSetting(gates, item))
    return 'problems' in settings ? settings : { value: decide(new Map(settings.value)) }
  }
  const names = Object.keys(gates)
  return Object.freeze({
    description,
    placeholder: 'NAME=BOOL,…',
    example: `${names[0] ?? 'AllAlpha'}=true`,
    details:
      names.length === 0
        ? 'There are none yet.'
        : `Gates: ${names.map((name) => formatGate(name, gates[name])).join(', ')}.`,
    ...extras,
    required: false as const,
    fallback: decide(new Map()),
    read,
  })
}

function decideGates<Gates extends FeatureGateTable>(
  gates: Gates,
  given: ReadonlyMap<string, boolean>,
): GateSettings<Gates> {
  const byGroup = (stage: FeatureStage): boolean | undefined =>
    given.get(Object.keys(GROUPS).find((group) => GROUPS[group] === stage) ?? '')
  const entries = Object.entries(gates).map(([name, gate]) => [
    name,
    given.get(name) ?? byGroup(gate.stage) ?? gate.default,
  ])
  // One entry was made for every key of Gates.
  return Object.freeze(Object.fromEntries(entries)) as GateSettings<Gates>
}

function parseSetting(gates: FeatureGateTable, item: string): readonly [string, boolean] {
  const [name = '', value] = item.split(/=(.*)/s, 2).map((part) => part.trim())
  const gate = Object.hasOwn(gates, name) ? gates[name] : undefined
  if (!gate && !Object.hasOwn(GROUPS, name)) throw unknownGate(gates, name)
  if (value === undefined) throw new ValueError(`the gate ${name} needs a value: ${name}=true or ${name}=false`)
  const isOn = parseSettingValue(name, value)
  if (gate?.locked && isOn !== gate.default) throw new ValueError(`the gate ${name} is locked to ${gate.default}`)
  return [name, isOn]
}

function parseSettingValue(name: string, value: string): boolean {
  try {
    return parseBoolean(value)
  } catch (cause) {
    throw new ValueError(`the gate ${name} is neither true nor false but ${quoteText(value)}`, { cause })
  }
}

function unknownGate(gates: FeatureGateTable, name: string): ValueError {
  const known = [...Object.keys(gates), ...Object.keys(GROUPS)]
  const nearest = findNearest(name, known)
  // Begins like the message of Kubernetes.
  return new ValueError(
    `unrecognized feature gate: ${quoteText(name)}.${nearest ? ` Did you mean ${nearest}?` : ''} Known gates: ${known.join(', ')}`,
  )
}

const formatGate = (name: string, gate: FeatureGate | undefined): string => `${name}=${gate?.default} (${gate?.stage})`
