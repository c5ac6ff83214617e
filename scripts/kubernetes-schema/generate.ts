import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT, run } from '../run.ts'

const TARGET = 'src/apiserver/schema/generated/kubernetes.ts'

/** The table of built-in kinds as the Go modules named in go.mod make it; throws when Go is missing. */
export async function generateSchemaTable(): Promise<string> {
  const { code, stdout, stderr } = await run('go', ['run', '.'], { cwd: import.meta.dirname })
  if (code === 127) throw new Error('Go is missing: the table is read from the Go modules of Kubernetes')
  if (code !== 0) throw new Error(`go run ended with ${code}: ${stderr.trim()}`)
  if (/[`\\]|\$\{/.test(stdout)) throw new Error('the table holds a character that a template cannot')
  return `${HEAD}export const KUBERNETES_TABLE: string = \`${stdout}\`\n`
}

const HEAD = `// Made by \`node scripts/kubernetes-schema/generate.ts\` from the Go types of Kubernetes. Do not edit.

/**
 * The built-in kinds and, after them, the structs they are made of: a line with the name of the definition, then one line a field.
 * \`read-schema-table.ts\` says what the words mean.
 */
`

if (import.meta.main) {
  const target = join(ROOT, TARGET)
  const text = await generateSchemaTable().catch((error: Error) => {
    process.stderr.write(`${error.message}\n`)
    process.exit(1)
  })
  if (process.argv.includes('--check')) {
    const isCurrent = readFileSync(target, 'utf8') === text
    process.stdout.write(
      isCurrent
        ? 'unchanged\n'
        : `${TARGET} is not what the Go types make: node scripts/kubernetes-schema/generate.ts\n`,
    )
    process.exitCode = isCurrent ? 0 : 1
  } else {
    mkdirSync(dirname(target), { recursive: true })
    writeFileSync(target, text)
    process.stdout.write(`wrote ${TARGET} (${text.length} bytes)\n`)
  }
}
