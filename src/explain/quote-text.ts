const LONGEST_QUOTE = 400

/** Text from others, on one line: nothing in it may move the cursor of a terminal. */
export const oneLine = (text: string): string => text.replaceAll(/[\s\p{Cc}]+/gu, ' ').trim()

/** Text from others, as part of a sentence. */
export function quote(text = ''): string {
  const line = oneLine(text).replace(/\.$/, '')
  return line.length > LONGEST_QUOTE ? `${line.slice(0, LONGEST_QUOTE)}…` : line
}

/** Whether an error says that the driver did not answer in time, in the words of Go clients or in ours. */
export const tookTooLong = (error: string): boolean => /code = DeadlineExceeded|no answer within/.test(error)

// Aborted in the words of Go clients and in ours, and what many drivers say with another code.
export const isBusy = (error: string): boolean =>
  /code = Aborted\b|\bAborted: |[Oo]peration with the given [\w ]+ already exists/.test(error)
