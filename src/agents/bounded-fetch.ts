/**
 * What providers' clients go through. A server that sends without end cannot fill the memory, and one
 * that sends elsewhere does not get the key there: headers of their own making are not taken off by
 * the platform when it follows a redirect.
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
      else controller.error(new Error(`The answer is longer than ${bodyBytesMax} bytes.`))
    },
  })
  const { status, statusText, headers } = response
  return new Response(response.body.pipeThrough(counted), { status, statusText, headers })
}
