/**
 * `fetch` for provider clients. An endless response cannot fill the memory, and a redirect does not
 * receive the key: the platform does not remove custom headers when it follows one.
 */

const bodyBytesMax = 64 * 1024 * 1024

export const boundedFetch: typeof fetch = async (input, init) => {
  const response = await fetch(input, { ...init, redirect: 'error' })
  if (response.body === null) return response
  let bytes = 0
  const counted = new TransformStream<Uint8Array, Uint8Array>({
    transform(chunk, controller) {
      bytes += chunk.length
      if (bytes <= bodyBytesMax) controller.enqueue(chunk)
      else controller.error(new Error(`The response is longer than ${bodyBytesMax} bytes.`))
    },
  })
  const { status, statusText, headers } = response
  return new Response(response.body.pipeThrough(counted), { status, statusText, headers })
}
