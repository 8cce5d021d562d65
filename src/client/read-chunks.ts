/** Reads a body as it arrives. Ends when the body does, or rejects when the signal aborts. */
export async function* readChunks(
  body: ReadableStream<Uint8Array>,
  signal: AbortSignal | undefined,
): AsyncGenerator<Uint8Array> {
  const reader = body.getReader()
  const cancel = (): void => void reader.cancel().catch(() => undefined)
  signal?.addEventListener('abort', cancel, { once: true })
  try {
    while (signal?.aborted !== true) {
      const { done, value } = await reader.read()
      if (done) break
      yield value
    }
  } finally {
    signal?.removeEventListener('abort', cancel)
    cancel()
  }
  signal?.throwIfAborted()
}
