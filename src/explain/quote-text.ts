const LONGEST_QUOTE = 400

/** Text from others, on one line: nothing in it may move the cursor of a terminal. */
export const oneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()

/** Text from others, as part of a sentence. */
export function quote(text = ''): string {
  const line = oneLine(text).replace(/\.$/, '')
  return line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE)}…` : line
}
