import { createHash } from 'node:crypto'
import { stripTypeScriptTypes } from 'node:module'
import { dirname, extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Host } from '../base/host/index.ts'

export type PageFile = { readonly contentType: string; readonly body: string }

export type PageFiles = {
  readonly files: ReadonlyMap<string, PageFile>
  /** What the page may load: itself only. */
  readonly contentSecurityPolicy: string
}

const CONTENT_TYPES: Readonly<Record<string, string>> = {
  '.html': 'text/html; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.js': 'text/javascript; charset=utf-8',
  // Served without its types: in a checkout, the page runs from source like everything else.
  '.ts': 'text/javascript; charset=utf-8',
}

const LIBRARY = ['lit-html.js', 'directive.js', 'directive-helpers.js', 'directives/repeat.js']

/** Reads everything that the page consists of. */
export async function loadPageFiles(files: Host['files']): Promise<PageFiles> {
  const read = async (path: string): Promise<string> => new TextDecoder().decode(await files.readFile(path))
  const found = new Map<string, PageFile>()
  const folder = join(import.meta.dirname, 'page')
  for (const { name } of await files.list(folder)) {
    const extension = extname(name)
    const contentType = CONTENT_TYPES[extension]
    if (contentType === undefined || /\.(d|test)\.ts$/.test(name)) continue
    const text = await read(join(folder, name))
    found.set(`/page/${name}`, { contentType, body: extension === '.ts' ? stripTypeScriptTypes(text) : text })
  }
  // Node resolves its own variant of the package, in a folder beside the one for browsers.
  const library = join(dirname(fileURLToPath(import.meta.resolve('lit-html'))), '..')
  for (const name of LIBRARY)
    found.set(`/lib/${name}`, { contentType: CONTENT_TYPES['.js'] ?? '', body: await read(join(library, name)) })
  const main = found.has('/page/main.ts') ? '/page/main.ts' : '/page/main.js'
  const { html, policy } = formatIndex(main)
  found.set('/', { contentType: CONTENT_TYPES['.html'] ?? '', body: html })
  return { files: found, contentSecurityPolicy: policy }
}

function formatIndex(main: string): { html: string; policy: string } {
  const importMap = JSON.stringify({ imports: { 'lit-html': '/lib/lit-html.js', 'lit-html/': '/lib/' } })
  const hash = createHash('sha256').update(importMap).digest('base64')
  const html = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>Holdfast</title>
<link rel="icon" href="/page/icon.svg" type="image/svg+xml">
<link rel="stylesheet" href="/page/style.css">
<script type="importmap">${importMap}</script>
<script type="module" src="${main}"></script>
</head>
<body><noscript>The console needs JavaScript.</noscript><div id="app"></div></body>
</html>
`
  const policy = [
    "default-src 'none'",
    `script-src 'self' 'sha256-${hash}'`,
    "style-src 'self'",
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ')
  return { html, policy }
}
