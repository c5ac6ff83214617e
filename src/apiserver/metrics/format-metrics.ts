export type Labels = Readonly<Record<string, string>>

export type Sample = { readonly suffix?: string; readonly labels: Labels; readonly value: number }

export type Metric = {
  readonly name: string
  readonly help: string
  readonly type: 'counter' | 'gauge' | 'histogram'
  readonly samples: readonly Sample[]
}

/** The text format of Prometheus. */
export const formatMetrics = (metrics: readonly Metric[]): string =>
  metrics
    .map(({ name, help, type, samples }) =>
      [
        `# HELP ${name} ${help}\n# TYPE ${name} ${type}\n`,
        ...samples.map(({ suffix = '', labels, value }) => `${name}${suffix}${formatLabels(labels)} ${value}\n`),
      ].join(''),
    )
    .join('')

function formatLabels(labels: Labels): string {
  const entries = Object.entries(labels)
  return entries.length === 0 ? '' : `{${entries.map(([name, value]) => `${name}="${escape(value)}"`).join(',')}}`
}

const escape = (value: string): string => value.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n')
