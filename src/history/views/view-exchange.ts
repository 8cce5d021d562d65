/** What was sent to a model and what came back, by the event that recorded it. */

import type { ExchangeBody } from '../../gateway/index.ts'
import { LoopError, type RunId, type StepNoted } from '../../loop/index.ts'
import type { ExchangeView } from '../../protocol/api/index.ts'
import { loadExchange } from '../load-exchange.ts'
import type { RecordSource } from './record-source.ts'
import { shorten } from './step-result.ts'

const charsMax = 200_000

export async function viewExchange(
  source: RecordSource,
  run: RunId,
  seq: number,
): Promise<ExchangeView> {
  const [found] = await source.journal.read(run, { afterSeq: seq - 1, limit: 1 })
  const event = found?.seq === seq ? found.event : undefined
  if (event?.type === 'step-noted') {
    const { note } = event
    if (note.type === 'prompted') return toPrompt(seq, event, await source.blobs.get(note.blob))
    if (note.type === 'exchanged') {
      const { request, answer } = await loadExchange(note.blob, source.blobs)
      const sent = cut(textOf(request.body))
      const received = cut(textOf(answer.body))
      const { provider, model, ended, durationMs } = note
      return {
        seq,
        step: event.step,
        sent: sent.text,
        received: received.text,
        provider,
        model,
        ended,
        status: answer.status,
        durationMs,
        leftOut: { sent: sent.leftOut, received: received.leftOut },
      }
    }
  }
  throw new LoopError(
    'unknown-artifact',
    `Event ${seq} of this run is not an exchange with a model. To see its events: loopctl tail ${run}`,
  )
}

function toPrompt(seq: number, { step }: StepNoted, content: Uint8Array): ExchangeView {
  const { text, leftOut } = cut(new TextDecoder().decode(content))
  return { seq, step, sent: text, leftOut: { sent: leftOut, received: 0 } }
}

function cut(whole: string): { readonly text: string; readonly leftOut: number } {
  const { text } = shorten(whole, charsMax)
  return { text, leftOut: whole.length - text.length }
}

/** JSON is indented; a stream is as it was received. */
function textOf({ encoding, text }: ExchangeBody): string {
  if (encoding === 'base64') return `(not text: ${text.length} characters of base64)`
  try {
    return JSON.stringify(JSON.parse(text), undefined, 2)
  } catch {
    return text
  }
}
