import type { Rpc } from '../csi/index.ts'
import { alterMessage } from './faults/alter-message.ts'
import type { FaultAction } from './faults/fault.ts'
import { joinMessages, splitMessages } from './grpc/grpc-messages.ts'
import { errorReply, statusOf } from './grpc/reply.ts'
import type { Reply } from './grpc/reply.ts'

/** What the caller sees of a call: an answer, nothing, or the end of its connection. */
export type Seen =
  | { readonly kind: 'reply'; readonly reply: Reply }
  | { readonly kind: 'silence' }
  | { readonly kind: 'cut' }

/** How a call ends. `reply`: what the driver answered last, if it got the call. */
export type Ending = { readonly reply?: Reply; readonly seen: Seen }

export type FaultedCall = {
  readonly rpc: Rpc | undefined
  /** Makes the call to the driver, and resolves with its complete answer. */
  exchange(): Promise<Reply>
}

/** Carries out a fault that changes more than the time of a call. */
export async function applyFault(
  action: Exclude<FaultAction, { kind: 'none' }>,
  { rpc, exchange }: FaultedCall,
): Promise<Ending> {
  switch (action.kind) {
    case 'error':
      return { seen: { kind: 'reply', reply: errorReply(action.code, action.message) } }
    case 'cut':
      return action.when === 'before' ? { seen: { kind: 'cut' } } : { reply: await exchange(), seen: { kind: 'cut' } }
    case 'lose-reply': {
      const reply = await exchange()
      if (statusOf(reply)?.code !== 'OK') return { reply, seen: { kind: 'reply', reply } }
      if (action.code === undefined) return { reply, seen: { kind: 'silence' } }
      return { reply, seen: { kind: 'reply', reply: errorReply(action.code, 'the reply was lost by holdfast proxy') } }
    }
    case 'duplicate': {
      const first = exchange()
      if (action.when === 'after') await first
      const [, reply] = await Promise.all([first, exchange()])
      return { reply, seen: { kind: 'reply', reply } }
    }
    case 'alter': {
      const reply = await exchange()
      return { reply, seen: { kind: 'reply', reply: rpc ? alterReply(reply, rpc, action.changes) : reply } }
    }
  }
}

/** A successful answer with these values; any other answer stays as it is. */
function alterReply(reply: Reply, rpc: Rpc, changes: Readonly<Record<string, unknown>>): Reply {
  if (reply.kind !== 'answer' || statusOf(reply)?.code !== 'OK') return reply
  const messages = splitMessages(reply.body)?.map((bytes) => {
    const altered = alterMessage(rpc.responseName, rpc.responseType.decode(bytes), changes)
    return rpc.responseType.encode(rpc.responseType.fromPartial(altered)).finish()
  })
  return messages ? { ...reply, body: joinMessages(messages) } : reply
}
