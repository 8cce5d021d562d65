/** Follows a run that this process drives to its end. */

import type { Client } from '../../client/index.ts'
import { LoopError, type RecordedEvent } from '../../loop/index.ts'
import type { RunName } from '../ask.ts'
import type { From } from './show-run.ts'
import type { Starter } from './with-starter.ts'

export async function followHere(
  client: Client,
  { foreground, driven }: NonNullable<Starter['here']>,
  { id, name }: RunName,
  from: From,
): Promise<void> {
  const run = driven(id)
  if (run === undefined) {
    const message = `Run "${name}" is not driven by this process.`
    throw new LoopError('wrong-status', `${message} See: loopctl inspect ${name}`)
  }
  const { done, shutDown } = run
  const events = (range?: { readonly afterSeq?: number }): AsyncIterable<RecordedEvent> =>
    eventsUntil(client, id, done, range?.afterSeq ?? 0)
  await foreground.follow(client, { id, name, done, shutDown, events }, from)
}

/** Ends when the run is no longer driven, after its last event; rejects with what `done` rejects with. */
async function* eventsUntil(
  client: Client,
  run: string,
  done: Promise<unknown>,
  afterSeq: number,
): AsyncGenerator<RecordedEvent> {
  const over = new AbortController()
  const end = (): void => over.abort()
  done.then(end, end)
  let last = afterSeq
  for await (const recorded of client.events(run, { afterSeq, signal: over.signal })) {
    last = recorded.seq
    yield recorded
  }
  await done
  yield* client.events(run, { afterSeq: last, follow: false })
}
