import type { SourceFile } from './source-file.ts'

// Where packages come from is the business of whoever installs: a mirror must work without editing a file.
const PACKAGE_HOSTS = new RegExp(
  [
    /\bregistry\.(?:npmjs\.org|yarnpkg\.com|npmmirror\.com)\b/,
    /\bnpm\.pkg\.github\.com\b/,
    /\b(?:proxy|sum)\.golang\.org\b/,
    /\bgoproxy\.(?:io|cn)\b/,
    /\bdeb\.debian\.org\b/,
    /\b[\w-]+\.jfrog\.io\b/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'i',
)
// A folder of one person or one machine.
const MACHINE_FOLDERS = /(?<![\w./@-])\/(?:work|workspace|root|home\/[\w.-]+|Users\/[\w.-]+)\/[\w.-]/

/** One line for each place that names a package registry or a folder of one machine. */
export function checkText(files: readonly SourceFile[]): string[] {
  const problems: string[] = []
  for (const { path, text } of files) {
    if (text.includes('\0')) continue
    for (const [index, line] of text.split('\n').entries()) {
      const host = PACKAGE_HOSTS.exec(line)?.[0]
      if (host !== undefined) problems.push(`${path}:${index + 1}: names the package host ${host}`)
      const folder = MACHINE_FOLDERS.exec(line)?.[0]
      if (folder !== undefined) problems.push(`${path}:${index + 1}: names a folder of one machine (${folder}…)`)
    }
  }
  return problems
}

/** One line for each package in the lock file that remembers the address it was fetched from. */
export function checkLockFile(text: string): string[] {
  const { packages = {} } = JSON.parse(text) as { packages?: Record<string, { resolved?: string }> }
  return Object.entries(packages)
    .filter(([, { resolved }]) => resolved !== undefined && /^[a-z+]+:/i.test(resolved))
    .map(([name]) => `package-lock.json: ${name} has a resolved address`)
}
