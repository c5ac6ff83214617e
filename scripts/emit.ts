import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { ROOT, runInherited } from './run.ts'

// npm run prepack: writes dist/ anew. npm runs it before it packs or publishes, so that no package leaves without its program.
rmSync(join(ROOT, 'dist'), { recursive: true, force: true })
process.exitCode = await runInherited('tsc', ['-p', 'tsconfig.build.json'])
