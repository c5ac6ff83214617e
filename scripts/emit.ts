import { cpSync, globSync, mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { ROOT, runInherited } from './run.ts'

// npm run prepack: writes dist/ anew. npm runs it before it packs or publishes, so that no package leaves without its program.
rmSync(join(ROOT, 'dist'), { recursive: true, force: true })
process.exitCode = (await runInherited('tsc', ['-p', 'tsconfig.build.json'])) || (await emitPage())

/** The page of the console, for browsers: its scripts, which import only types of the rest, and the files beside them. */
async function emitPage(): Promise<number> {
  const page = 'src/console/page'
  const target = join(ROOT, 'dist/console/page')
  const built = mkdtempSync(join(tmpdir(), 'holdfast-page-'))
  try {
    const code = await runInherited('tsc', ['-p', `${page}/tsconfig.build.json`, '--outDir', built])
    if (code !== 0) return code
    cpSync(join(built, 'console/page'), target, { recursive: true })
    for (const file of globSync('*.{css,svg}', { cwd: join(ROOT, page) }))
      cpSync(join(ROOT, page, file), join(target, file))
    return 0
  } finally {
    rmSync(built, { recursive: true })
  }
}
