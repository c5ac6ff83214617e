import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { ROOT, run } from '../run.ts'
import { generateDescriptions } from './generate-descriptions.ts'

const FOLDER = 'src/apiserver/schema/generated'

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

/** In this order: the descriptions are those of the definitions in the table. */
const TARGETS = [
  [`${FOLDER}/kubernetes.ts`, generateSchemaTable],
  [`${FOLDER}/descriptions.ts`, generateDescriptions],
] as const

async function generate([target, generateText]: (typeof TARGETS)[number], isCheck: boolean): Promise<void> {
  const path = join(ROOT, target)
  const text = await generateText()
  if (!isCheck) {
    mkdirSync(dirname(path), { recursive: true })
    writeFileSync(path, text)
    process.stdout.write(`wrote ${target} (${text.length} bytes)\n`)
  } else if (readFileSync(path, 'utf8') === text) {
    process.stdout.write(`${target}: unchanged\n`)
  } else {
    process.stdout.write(`${target} is not what Kubernetes makes: node scripts/kubernetes-schema/generate.ts\n`)
    process.exitCode = 1
  }
}

if (import.meta.main) {
  try {
    for (const target of TARGETS) await generate(target, process.argv.includes('--check'))
  } catch (error) {
    process.stderr.write(`${(error as Error).message}\n`)
    process.exitCode = 1
  }
}
