import { deepEqual, doesNotMatch, equal, match } from 'node:assert/strict'
import { test } from 'node:test'
import { renderTerminal } from './render-terminal.ts'

const OPTIONS = { columns: 20, title: 'a <picture>' }
const textsOf = (svg: string): string[] =>
  [...svg.matchAll(/<text [^>]*>([^<]*)<\/text>/g)].map(([, text = '']) => text.replaceAll('\u00a0', ' '))

test('what means something in XML is escaped, in lines and in the title', () => {
  const svg = renderTerminal([{ kind: 'output', text: '<unset> & "b"' }], OPTIONS)
  deepEqual(textsOf(svg), ['&lt;unset&gt; &amp; &quot;b&quot;'])
  match(svg, /<title>a &lt;picture&gt;<\/title>/)
})

test('a line that is too long goes on in the next row, and the picture is as high as its rows', () => {
  const [long, short] = [
    renderTerminal([{ kind: 'output', text: 'x'.repeat(41) }], OPTIONS),
    renderTerminal([{ kind: 'output', text: 'x' }], OPTIONS),
  ]
  deepEqual(textsOf(long), ['x'.repeat(20), 'x'.repeat(20), 'x'])
  const heightOf = (svg: string): number => Number(/ height="(\d+)"/.exec(svg)?.[1])
  equal(heightOf(long) - heightOf(short), 2 * 18)
})

test('a line is as wide as its characters, of which one may be two units long', () => {
  const svg = renderTerminal([{ kind: 'output', text: '  ab𝒞' }], OPTIONS)
  match(svg, /<text x="31\.6" [^>]*textLength="23\.4"/)
})

test('empty lines take their room, and control characters are dropped', () => {
  const svg = renderTerminal(
    [
      { kind: 'output', text: '' },
      { kind: 'typed', text: 'ls \u001b[31mred' },
    ],
    OPTIONS,
  )
  deepEqual(textsOf(svg), ['$ ls [31mred'])
  match(svg, / y="47" /)
})

test('nothing in the picture runs or comes from elsewhere', () => {
  doesNotMatch(renderTerminal([{ kind: 'typed', text: 'ls' }], OPTIONS), /<script|href|url\(|@import|<foreignObject/)
})
