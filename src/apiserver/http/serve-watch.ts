import type { StreamEvent, WatchStream } from '../core/watch-stream.ts'
import type { FormatEvent } from './event-text.ts'
import type { AnswerHeaders, BodyWriter, Exchange } from './exchange.ts'

export type WatchAnswer = {
  readonly stream: WatchStream
  readonly format: FormatEvent
  readonly headers: AnswerHeaders
}

// A long queue is not turned into one text, because other requests would wait meanwhile.
const LONGEST_WRITE = 256 * 1024

/**
 * Sends changes to a client until the stream ends or the client disconnects. The head is sent before the first event; queued events are written
 * together; nothing is taken from the stream while the client does not keep up.
 */
export async function serveWatch(exchange: Exchange, { stream, format, headers }: WatchAnswer): Promise<void> {
  exchange.onClose(() => stream.close())
  exchange.onStop(() => stream.close())
  if (exchange.method === 'HEAD') {
    stream.close()
    return exchange.send(200, headers, undefined)
  }
  const writer = exchange.begin(200, headers)
  try {
    for (let event = await stream.next(); event; event = await stream.next()) {
      await writeEvents(writer, [event, ...stream.takeAll()], format)
    }
  } finally {
    stream.close()
    // Also after an ERROR event: a stream that is cut off looks like a broken connection.
    writer.end()
  }
}

async function writeEvents(writer: BodyWriter, events: readonly StreamEvent[], format: FormatEvent): Promise<void> {
  let text = ''
  for (const event of events) {
    text += format(event)
    if (text.length < LONGEST_WRITE) continue
    if (!writer.write(text)) await writer.drained()
    text = ''
  }
  if (text !== '' && !writer.write(text)) await writer.drained()
}
