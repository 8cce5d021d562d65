/** Waits for an event, but not for ever. True when it came in time. */

export async function within(event: Promise<unknown>, ms: number): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms)
  })
  const came = event.then(
    () => true,
    () => true,
  )
  try {
    return await Promise.race([came, late])
  } finally {
    clearTimeout(timer)
  }
}
